extension Dictionary where Key == String {
    /// The entries in the order of their keys.
    ///
    /// Only the keys are sorted, so the sort is not compiled for each type of value.
    var sortedByKey: [(key: String, value: Value)] {
        keys.sorted().compactMap { key in self[key].map { (key, $0) } }
    }
}
