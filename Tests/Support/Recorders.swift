package import Foundation
internal import Molt

/// Values that closures have recorded, in order and from any thread.
package final class Log<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    package init() {}

    package func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    package var all: [Element] { elements.withLock { $0 } }

    package var count: Int { all.count }
}

/// Runs a closure on the next call, and only then.
package final class Once: Sendable {
    private let body = Locked<(@Sendable () -> Void)?>(nil)

    package init() {}

    package func set(_ body: @escaping @Sendable () -> Void) {
        self.body.withLock { $0 = body }
    }

    package func run() {
        let body = body.withLock { stored in
            defer { stored = nil }
            return stored
        }
        body?()
    }
}

/// A clock that advances only on request.
package final class Clock: Sendable {
    private let seconds: Locked<Double>

    package init(_ seconds: Double) {
        self.seconds = Locked(seconds)
    }

    package var date: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

    package func advance(to seconds: Double) {
        self.seconds.withLock { $0 = seconds }
    }
}
