@testable import Molt

extension CacheStore {
    /// Commits what a closure does, unless it throws; nothing else may be writing the file.
    func commit(_ body: (CacheTransaction) throws -> Void) throws {
        try withWriteTransaction(until: nil) { transaction in
            try body(transaction)
            return true
        } waiting: {
            throw TestFailure.expected
        }
    }
}
