import Foundation

/// Lets threads do a part of their work one after the other, in the order of numbers.
final class TurnOrder: Sendable {
    private let condition = NSCondition()
    // Both are accessed only while the condition is locked.
    private nonisolated(unsafe) var next = 0
    private nonisolated(unsafe) var hasEnded = false

    /// Waits until the turns of all lower numbers are over.
    ///
    /// - Returns: Whether it is the turn of the number; false after ``end()``.
    func wait(for number: Int) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while next != number, !hasEnded { condition.wait() }
        return !hasEnded
    }

    /// Ends the current turn.
    func endTurn() {
        condition.lock()
        next += 1
        condition.broadcast()
        condition.unlock()
    }

    /// Ends all waiting; nobody has a turn any more.
    func end() {
        condition.lock()
        hasEnded = true
        condition.broadcast()
        condition.unlock()
    }
}
