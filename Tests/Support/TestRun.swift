internal import Foundation

/// How much is tried: a little in the ordinary run, and what is promised in the long one.
package enum TestRun {
    /// Whether `MOLT_LONG` is set.
    package static let isLong = ProcessInfo.processInfo.environment["MOLT_LONG"] != nil

    /// A number for the ordinary run, and one for the long run.
    package static func choose<Value>(_ short: Value, long: Value) -> Value {
        isLong ? long : short
    }

    /// Says in the long run what was tried.
    package static func report(_ line: String) {
        guard isLong else { return }
        FileHandle.standardError.write(Data("durability: \(line)\n".utf8))
    }
}
