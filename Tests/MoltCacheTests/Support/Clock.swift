import Foundation

@testable import Molt

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
