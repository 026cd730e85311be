import Molt
import Testing

extension MigrationReport {
    /// The migrations in order, such as "rename ran"; one that waits is listed when that is recorded.
    var outline: [String] {
        entries.map { "\($0.migration.name) \($0.outcome)" }
    }

    /// The outcome of each key.
    var keyOutcomes: [String: MigrationReport.KeyOutcome.Outcome] {
        Dictionary(uniqueKeysWithValues: keys.map { ($0.key, $0.outcome) })
    }

    /// Expects these keys, in order, each with its outcome and the reason.
    func expectKeys(_ texts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        let found = keys.map { "\($0.key): \($0.outcome)" + ($0.reason.map { ", \($0)" } ?? "") }
        #expect(found == texts, sourceLocation: sourceLocation)
    }

    /// Expects that these migrations, and no others, are deferred.
    func expectDeferred(_ names: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        let found = deferred.map(\.migration.name)
        #expect(found == names, sourceLocation: sourceLocation)
    }
}
