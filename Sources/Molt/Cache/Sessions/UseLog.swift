/// The recent uses of records in a cache with a size limit, kept in memory until the next write.
final class UseLog: Sendable {
    /// The maximum content of the file in bytes.
    let sizeLimit: Int
    private static let limit = 16_384

    private struct State {
        var times: [Int64: Double] = [:]
        var last = 0.0
    }

    private let state = Locked(State())

    init(sizeLimit: Int) {
        self.sizeLimit = sizeLimit
    }

    /// The uses not written yet: the last time for each record's id.
    var pending: [Int64: Double] { state.withLock { $0.times } }

    /// A time later than all before: uses are ordered by their times.
    func next(after now: Double) -> Double {
        state.withLock { state in
            state.last = max(now, state.last.nextUp)
            return state.last
        }
    }

    func add(_ id: Int64, at now: Double) {
        state.withLock { state in
            state.last = max(now, state.last.nextUp)
            state.times[id] = state.last
            guard state.times.count > Self.limit else { return }
            // Drops the older half, which would be evicted next anyway.
            let middle = state.times.values.sorted()[state.times.count / 2]
            state.times = state.times.filter { $0.value >= middle }
        }
    }

    /// Removes written uses, unless the record was used again since.
    func remove(_ written: [Int64: Double]) {
        state.withLock { state in
            for (id, time) in written where state.times[id] == time { state.times[id] = nil }
        }
    }
}
