@testable import Molt

extension StoreFile {
    /// Commits what a closure does, unless it throws; nothing else may be writing the file.
    func commit(_ body: (StoreTransaction) throws -> Void) throws {
        try withWriteTransaction(until: nil) { transaction in
            try body(transaction)
            return true
        } waiting: {
            throw TestFailure.expected
        }
    }
}
