internal import Foundation
package import MoltCore
internal import MoltPlatform

/// Observes one opening of a store, and makes it fail at a point.
package final class FaultInjector: Sendable {
    package enum Plan: Sendable {
        /// No fault; the points are only listed.
        case list
        case fail(FaultPoint)
        /// The upgrade fails at the point, and so does every later write.
        case failWrites(from: FaultPoint)
        case failAllWrites
        /// The process creates the marker file and is killed at the point.
        case kill(FaultPoint, marker: String)
    }

    private struct Place: Hashable {
        var point: UpgradePoint
        var steps: String
    }

    private struct State {
        var points: [FaultPoint] = []
        var counts: [Place: Int] = [:]
        var steps = ""
        var isReached = false
    }

    private let plan: Plan
    private let state = Locked(State())

    package init(_ plan: Plan) {
        self.plan = plan
    }

    var points: [FaultPoint] { state.withLock { $0.points } }

    var isReached: Bool { state.withLock { $0.isReached } }

    package var hook: UpgradeHook {
        { try self.pass($0) }
    }

    private func pass(_ upgradePoint: UpgradePoint) throws {
        let (point, wasReached) = note(upgradePoint)
        switch plan {
        case .list:
            break
        case .fail(let target):
            if point == target { try fail(at: point) }
        case .failWrites(let target):
            if point == target || (wasReached && point.isWrite) { try fail(at: point) }
        case .failAllWrites:
            if point.isWrite { try fail(at: point) }
        case .kill(let target, let marker):
            guard point == target else { break }
            _ = FileManager.default.createFile(atPath: marker, contents: nil)
            kill(getpid(), SIGKILL)
        }
    }

    private func note(_ point: UpgradePoint) -> (FaultPoint, wasReached: Bool) {
        state.withLock { state in
            if point.kind == .afterSteps { state.steps = "" }
            let place = Place(point: point, steps: state.steps)
            state.counts[place, default: 0] += 1
            let noted = FaultPoint(point, steps: state.steps, occurrence: state.counts[place, default: 1])
            if point.kind == .beforeSteps { state.steps = point.subject }
            state.points.append(noted)
            return (noted, state.isReached)
        }
    }

    private func fail(at point: FaultPoint) throws {
        state.withLock { $0.isReached = true }
        throw InjectedFault(point: point).asThrown
    }
}
