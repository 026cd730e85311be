import Foundation

/// The standard suite of the tests' process, which all tests share.
public enum StandardSuite {
    private static let lock = NSLock()

    /// Runs a test that upgrades the suite: two at once would see each other's ledger.
    public static func whileAlone<Value>(_ body: () throws -> Value) rethrows -> Value {
        try lock.withLock(body)
    }
}
