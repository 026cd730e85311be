extension Dictionary where Key == String {
    /// The entries in the order of their keys.
    ///
    /// Only the keys are sorted, so the sort is not compiled for each type of value.
    var sortedByKey: [(key: String, value: Value)] {
        keys.sorted().compactMap { key in self[key].map { (key, $0) } }
    }
}

extension Sequence {
    /// The elements in an order, for sequences that are short.
    ///
    /// A sort is 4 KB of code for each type and each closure. This one is compiled once, and slower.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
        sorted(by: precedes)
    }
}
