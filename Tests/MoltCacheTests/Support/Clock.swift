import Foundation
import Synchronization

/// A clock that advances only on request.
final class Clock: Sendable {
    private let seconds: Mutex<Double>

    init(_ seconds: Double) {
        self.seconds = Mutex(seconds)
    }

    var date: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

    func advance(to seconds: Double) {
        self.seconds.withLock { $0 = seconds }
    }
}
