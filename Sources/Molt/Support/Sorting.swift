extension Dictionary where Key == String {
    /// The entries in the order of their keys.
    ///
    /// Only the keys are sorted, so the sort is not compiled for each type of value.
    var sortedByKey: [(key: String, value: Value)] {
        keys.sorted().compactMap { key in self[key].map { (key, $0) } }
    }
}

extension Dictionary where Key == String {
    /// The entries in the order of the UTF-8 of their keys; only the keys are sorted, too.
    var sortedByUTF8: [(key: String, value: Value)] {
        Array(keys).sortedByUTF8.compactMap { key in self[key].map { (key, $0) } }
    }
}

extension [String] {
    fileprivate var sortedByUTF8: [String] {
        sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

extension Dictionary {
    /// Creates a dictionary that has the first of several values for a key.
    ///
    /// It is compiled for the types of keys and values, and not again for each call.
    @inline(never)
    init(firstOf pairs: [(Key, Value)]) {
        self.init(pairs) { first, _ in first }
    }

    /// Removes entries by their keys; compiled once for all dictionaries, and slower.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    mutating func removeAll(where isRemoved: (Key) -> Bool) {
        for key in Array(keys) where isRemoved(key) { self[key] = nil }
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
