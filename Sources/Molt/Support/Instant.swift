/// An instant of `ContinuousClock`, kept as the time since an origin that is the same for the whole process.
///
/// The layout of `ContinuousClock.Instant` is known at run time only, and so would be that of everything that contains
/// one. The code for such types is large: each copy and each access looks the layout up.
package struct Instant: Comparable, Sendable {
    private static let origin = ContinuousClock.now
    private let sinceOrigin: Duration

    private init(sinceOrigin: Duration) {
        self.sinceOrigin = sinceOrigin
    }

    init(_ instant: ContinuousClock.Instant) {
        sinceOrigin = Self.origin.duration(to: instant)
    }

    @inline(never)
    static var now: Instant { Instant(ContinuousClock.now) }

    var instant: ContinuousClock.Instant { Self.origin.advanced(by: sinceOrigin) }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.sinceOrigin < right.sinceOrigin
    }

    static func + (instant: Instant, time: Duration) -> Instant {
        Instant(sinceOrigin: instant.sinceOrigin + time)
    }

    func duration(to end: Instant) -> Duration {
        end.sinceOrigin - sinceOrigin
    }
}
