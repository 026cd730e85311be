#if os(Linux)
    import FaultyDisk
    import Glibc

    /// Makes system calls of some kinds on the files of a test fail.
    struct RefusedCalls {
        private let kinds: UInt32
        private let place: TestPlace

        /// - Parameter kinds: The kinds, from ``bits(_:)``.
        init(_ kinds: UInt32, at place: TestPlace) {
            self.kinds = kinds
            self.place = place
        }

        /// Returns a set of kinds with a bit for each.
        static func bits(_ kinds: molt_disk_kind...) -> UInt32 {
            kinds.reduce(0) { bits, kind in bits | UInt32(1) << kind.rawValue }
        }

        /// Lets all calls succeed from now on.
        static func succeed() {
            molt_disk_refuse(0, 0, -1, 0, false)
        }

        /// Calls a closure, and returns the number of its calls, all of which succeed.
        func count(_ body: () throws -> Void) rethrows -> Int {
            molt_disk_watch(place.home, place.token)
            defer { molt_disk_unwatch() }
            molt_disk_refuse(kinds, 0, -1, 0, false)
            try body()
            return molt_disk_counted()
        }

        /// Calls a closure while the calls with some numbers fail, and returns how many of them did.
        ///
        /// - Parameter isShort: Whether a write fails after half of its bytes.
        @discardableResult
        func refuse(
            _ numbers: ClosedRange<Int>,
            with error: Int32 = EIO,
            isShort: Bool = false,
            _ body: () throws -> Void
        ) rethrows -> Int {
            molt_disk_watch(place.home, place.token)
            defer { molt_disk_unwatch() }
            molt_disk_refuse(kinds, numbers.lowerBound, numbers.upperBound, error, isShort)
            try body()
            return molt_disk_refused()
        }
    }
#endif
