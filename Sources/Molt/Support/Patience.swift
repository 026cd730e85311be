internal import Foundation

/// Waits for what another process or thread holds, until a time is over.
package final class Patience {
    package let timeout: Duration
    private var end: Instant?
    private let checking: () throws -> Void
    private let beginning: (() -> Void)?

    /// - Parameters:
    ///   - checking: Called whenever it has to wait; throws to give up before the time is over.
    ///   - beginning: Called when it first has to wait; the time begins then. Without one, the time begins with the
    ///     creation.
    package init(_ timeout: Duration, checking: @escaping () throws -> Void = {}, beginning: (() -> Void)? = nil) {
        self.timeout = timeout
        end = beginning == nil ? .now + timeout : nil
        self.checking = checking
        self.beginning = beginning
    }

    /// Called repeatedly while another has what is waited for; throws an error once the time is over.
    package func wait(orThrow error: @autoclosure () -> any Error) throws {
        try checking()
        guard let end else {
            end = .now + timeout
            beginning?()
            return
        }
        if Instant.now >= end { throw error() }
    }
}

/// Repeats a closure until it returns a value, with a pause after each attempt.
///
/// - Parameter limit: The number of attempts; without one, the closure throws to give up.
/// - Returns: Nil if none of the attempts has returned a value.
@discardableResult
func poll<Value, Failure: Error>(
    every pause: Duration,
    atMost limit: Int = .max,
    _ attempt: () throws(Failure) -> Value?
) throws(Failure) -> Value? {
    for _ in 0..<limit {
        if let value = try attempt() { return value }
        Thread.sleep(forTimeInterval: pause / .seconds(1))
    }
    return nil
}
