/// A suite's content when it was read: all values, and the ledger among them.
struct SuiteSnapshot {
    let values: [String: PropertyListValue]
    /// Nil if no migration has changed the suite.
    let ledger: SuiteLedger?

    init(_ suite: Suite) throws {
        values = try suite.allValues()
        ledger = try SuiteLedger(in: values, of: suite)
    }

    /// Whether the suite has no settings, apart from values under reserved keys.
    var isEmpty: Bool { values.keys.allSatisfy(Suite.reservedKeys.contains) }
}
