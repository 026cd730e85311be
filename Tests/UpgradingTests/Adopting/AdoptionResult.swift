import Molt
import Testing

extension CodableCache {
    /// Expects this number of records.
    func expectCount(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try self.count()
        #expect(found == count, sourceLocation: sourceLocation)
    }

    /// Expects the archive's value of this number under a key.
    func expectFriend(_ id: Int, forKey key: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let friend = try value(Friend.self, forKey: key)
        #expect(friend == Friend(id), "\(key)", sourceLocation: sourceLocation)
    }
}

extension MigrationReport {
    /// Expects these outcomes of keys, in this order.
    func expectOutcomes(_ outcomes: KeyOutcome.Outcome..., sourceLocation: SourceLocation = #_sourceLocation) {
        let found = keys.map(\.outcome)
        #expect(found == outcomes, sourceLocation: sourceLocation)
    }
}
