import Foundation

/// The amount of testing: little in the ordinary run, and everything that is promised in the long run.
enum TestRun {
    /// Chooses between values for the ordinary and the long run.
    static func choose<Value>(_ short: Value, long: Value) -> Value {
        ProcessInfo.processInfo.environment["MOLT_LONG"] == nil ? short : long
    }
}
