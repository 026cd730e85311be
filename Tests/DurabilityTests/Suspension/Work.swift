import Foundation
import Molt

/// Work on a thread of its own, with the codes of the errors that it throws.
final class Work: Sendable {
    private struct State {
        var codes: [String] = []
        var roundCount = 0
        var isOver = false
    }

    private let state = Locked(State())
    private let mustEnd = Locked(false)

    /// Runs a closure once.
    init(once body: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            round(body)
            state.withLock { $0.isOver = true }
        }
    }

    /// Runs a closure again and again until the work is ended.
    init(repeating body: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            while !mustEnd.withLock({ $0 }) { round(body) }
            state.withLock { $0.isOver = true }
        }
    }

    private func round(_ body: () throws -> Void) {
        do {
            try body()
            state.withLock { $0.roundCount += 1 }
        } catch {
            let code = (error as? MoltError)?.code.rawValue ?? "\(error)"
            state.withLock { $0.codes.append(code) }
            // Nothing can be done until the resumption.
            if code == "suspended" { Thread.sleep(forTimeInterval: 0.001) }
        }
    }

    /// Waits for the end, and returns the codes of all errors.
    func end() -> [String] {
        mustEnd.withLock { $0 = true }
        while !state.withLock({ $0.isOver }) { Thread.sleep(forTimeInterval: 0.001) }
        return state.withLock { $0.codes }
    }

    /// How often the closure returned.
    var roundCount: Int { state.withLock { $0.roundCount } }
}
