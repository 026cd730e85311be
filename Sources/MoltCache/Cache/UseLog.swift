internal import MoltCore

/// When the records of a cache with a size limit were used: remembered in memory, and written with the next write.
final class UseLog: Sendable {
    /// How many bytes of content the file may hold.
    let sizeLimit: Int
    /// How many uses are remembered, at most.
    private static let limit = 16_384

    private struct State {
        var times: [Int64: Double] = [:]
        var last = 0.0
    }

    private let state = Locked(State())

    init(sizeLimit: Int) {
        self.sizeLimit = sizeLimit
    }

    /// The uses that no write has taken yet: the time of the last one for each record's id.
    var pending: [Int64: Double] { state.withLock { $0.times } }

    /// A time later than all before: the order of uses is the order of their times.
    func next(after now: Double) -> Double {
        state.withLock { state in
            state.last = max(now, state.last.nextUp)
            return state.last
        }
    }

    /// Remembers that a record was used.
    func add(_ id: Int64, at now: Double) {
        state.withLock { state in
            state.last = max(now, state.last.nextUp)
            state.times[id] = state.last
            guard state.times.count > Self.limit else { return }
            // The older half: those are the next to be evicted anyway.
            let middle = state.times.values.sorted()[state.times.count / 2]
            state.times = state.times.filter { $0.value >= middle }
        }
    }

    /// Forgets uses that were written, unless the record was used again since.
    func remove(_ written: [Int64: Double]) {
        state.withLock { state in
            for (id, time) in written where state.times[id] == time { state.times[id] = nil }
        }
    }
}
