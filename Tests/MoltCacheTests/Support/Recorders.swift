import Foundation
import Molt

/// Values that closures have recorded, in order and from any thread.
final class Log<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    var all: [Element] { elements.withLock { $0 } }

    var count: Int { all.count }
}

/// Runs a closure on the next call, and only then.
final class Once: Sendable {
    private let body = Locked<(@Sendable () -> Void)?>(nil)

    func set(_ body: @escaping @Sendable () -> Void) {
        self.body.withLock { $0 = body }
    }

    func run() {
        let body = body.withLock { stored in
            defer { stored = nil }
            return stored
        }
        body?()
    }
}

/// A clock that advances only on request.
final class Clock: Sendable {
    private let seconds: Locked<Double>

    init(_ seconds: Double) {
        self.seconds = Locked(seconds)
    }

    var date: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

    func advance(to seconds: Double) {
        self.seconds.withLock { $0 = seconds }
    }
}
