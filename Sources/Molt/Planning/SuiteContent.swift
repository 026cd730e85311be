/// What a plan knows of a suite: its ledger, and its values once something asks for them.
///
/// The plan of an up-to-date store needs no values, and reading them takes longer than everything else about a suite.
final class SuiteContent {
    /// Nil if no migration has changed the suite.
    let ledger: SuiteLedger?
    /// Why it is not the ledger among the values; nil if it is.
    let finding: SuiteFinding?
    /// Whether its own ledger counts, and is not the one that is remembered, as after an upgrade on a full disk.
    let isForgotten: Bool
    private let suite: Suite
    private var knownValues: [String: PropertyListValue]?

    /// - Parameters:
    ///   - fileRows: What the store's file says about the suite.
    ///   - unknown: The names of migrations in a ledger that only a newer release has.
    init(
        _ suite: Suite,
        _ fileRows: @autoclosure () -> [SuiteLedger.Row],
        unknown: (SuiteLedger) -> Set<String>
    ) throws {
        self.suite = suite
        if let ledger = try SuiteMemory(of: suite).confirmedLedger() {
            (self.ledger, finding, isForgotten) = (ledger, nil, false)
        } else {
            let snapshot = try SuiteSnapshot(suite, fileRows(), unknown: unknown)
            (ledger, finding, isForgotten) = (snapshot.ledger, snapshot.finding, snapshot.isForgotten)
            knownValues = snapshot.values
        }
    }

    /// All values, with those under reserved keys, as they are at the first call.
    func values() throws -> [String: PropertyListValue] {
        if let knownValues { return knownValues }
        let values = try suite.allValues()
        knownValues = values
        return values
    }

    /// Whether the suite has no settings, apart from values under reserved keys.
    func isEmpty() throws -> Bool { try values().withoutReservedKeys.isEmpty }

    /// Whether the suite has settings or a ledger; without a ledger, its values were read.
    var isFilled: Bool { ledger != nil || knownValues?.withoutReservedKeys.isEmpty == false }
}
