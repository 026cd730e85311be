import Molt
import Testing

extension MigrationReport {
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
