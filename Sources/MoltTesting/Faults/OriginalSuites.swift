internal import MoltCore
internal import MoltDefaults
internal import Synchronization

/// Observes the original suites during an upgrade of a copy, which must not change them.
///
/// Other tests or the app may write the suites at the same time. A change therefore counts only if it occurs while
/// steps or changes to attached stores run, and if its key does not change at other times.
final class OriginalSuites: Sendable {
    private struct Place: Hashable {
        var suite: Suite
        var key: String
    }

    private struct Change {
        var old: PropertyListValue?
        var new: PropertyListValue?
        var work: String
    }

    private struct State {
        var values: [Suite: [String: PropertyListValue]]
        var work: String?
        var changes: [Place: Change] = [:]
        /// The keys that changed when no step of the upgrade was running.
        var foreign: Set<Place> = []

        mutating func look() {
            for (suite, old) in values {
                // An unreadable suite counts as unchanged.
                guard let new = try? suite.contents(), new != old else { continue }
                values[suite] = new
                for key in Set(old.keys).union(new.keys) where old[key] != new[key] {
                    let place = Place(suite: suite, key: key)
                    guard let work else {
                        foreign.insert(place)
                        continue
                    }
                    let first = changes[place]
                    changes[place] = Change(old: first?.old ?? old[key], new: new[key], work: first?.work ?? work)
                }
            }
        }
    }

    private let state: Mutex<State>

    init(_ store: TemporaryStore) {
        // Unreadable suites are not observed.
        let read = store.allStandIns.compactMap { pair in
            (try? pair.original.contents()).map { (pair.original, $0) }
        }
        state = Mutex(State(values: Dictionary(read) { first, _ in first }))
    }

    func pass(_ point: UpgradePoint) {
        state.withLock { state in
            switch point.kind {
            case .beforeSteps, .beforeApply:
                state.look()
                state.work = point.subject
            case .afterSteps, .afterApply:
                state.look()
                state.work = nil
            default:
                break
            }
        }
    }

    /// The changes made both by this upgrade and by another one of the same store; nil if there are none.
    ///
    /// - Parameter next: The suites during the other, later upgrade.
    func problem(confirmedBy next: OriginalSuites) -> String? {
        for suites in [self, next] { suites.state.withLock { $0.look() } }
        let (first, second) = (state.withLock { $0 }, next.state.withLock { $0 })
        let foreign = first.foreign.union(second.foreign)
        var (found, expected) = (StoreFixture(schemaVersion: 0), StoreFixture(schemaVersion: 0))
        for (place, change) in first.changes where !foreign.contains(place) {
            if let again = second.changes[place] {
                guard again.work == change.work else { continue }
            } else if second.values[place.suite]?[place.key] != change.new {
                // A key that is set to the same value again shows no change.
                continue
            }
            expected.suites[place.suite, default: [:]][place.key] = change.old
            found.suites[place.suite, default: [:]][place.key] = change.new
        }
        let lines = SweptState.lines(found, expected: expected)
        guard !lines.isEmpty else { return nil }
        return """
            While copies were upgraded, the suites themselves have changed. Either something else has written them, or a \
            step has, by itself and not through its migration: nothing would undo that.
            \(SweptState.list(lines))
            """
    }
}
