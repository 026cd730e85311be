/// What a ``FaultSweep`` has tried.
///
/// ```
/// 108 points: 10 steps, 10 batches, 21 records, 25 writes, 4 commits, 9 changes to attached stores, 29 full disks
/// faults: something throws (31), a write fails once (29), …
/// ```
public struct FaultSummary: Hashable, Sendable {
    /// One fault that was tried.
    public struct Trial: Hashable, Sendable {
        /// What happened there.
        public let fault: FaultSweep.Fault
        /// How the store was opened.
        public let entryPoint: EntryPoint
        /// Where it happened.
        public let point: FaultPoint
    }

    /// All that was tried, in order.
    public internal(set) var trials: [Trial] = []
    /// How many points there are, those that were left out included.
    public internal(set) var available = 0

    /// How many points a fault was tried at; a point counts for each entry point.
    public var count: Int {
        places(trials).count
    }

    /// How many points of an area a fault was tried at.
    public func count(of area: FaultPoint.Area) -> Int {
        places(trials.filter { $0.point.area == area }).count
    }

    /// How often a fault was tried.
    public func count(of fault: FaultSweep.Fault) -> Int {
        trials.count { $0.fault == fault }
    }

    private struct Place: Hashable {
        var entryPoint: EntryPoint
        var point: FaultPoint
    }

    private func places(_ trials: [Trial]) -> Set<Place> {
        Set(trials.map { Place(entryPoint: $0.entryPoint, point: $0.point) })
    }
}

extension FaultSummary: CustomStringConvertible {
    /// How many points, and of which areas.
    public var description: String {
        let areas = FaultPoint.Area.allCases.filter { count(of: $0) > 0 }.map { $0.counted(count(of: $0)) }
        let points = count < available ? "\(count) of \(available) points" : "\(count) points"
        let faults = FaultSweep.Fault.allInOrder(trials.map(\.fault)).map { "\($0) (\(count(of: $0)))" }
        return """
            \(points): \(areas.joined(separator: ", "))
            faults: \(faults.joined(separator: ", "))
            """
    }
}
