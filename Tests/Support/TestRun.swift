internal import Foundation

/// The amount of testing: little in the ordinary run, and everything that is promised in the long run.
package enum TestRun {
    package static let isLong = ProcessInfo.processInfo.environment["MOLT_LONG"] != nil

    /// Chooses between values for the ordinary and the long run.
    package static func choose<Value>(_ short: Value, long: Value) -> Value {
        isLong ? long : short
    }

    /// In the long run, prints a line about the tests.
    package static func report(_ line: String) {
        guard isLong else { return }
        FileHandle.standardError.write(Data("durability: \(line)\n".utf8))
    }
}
