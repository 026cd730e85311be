import Foundation
import Molt
import Testing

/// The successive states of a cache while it was recorded, and which of them must be durable.
struct CacheTimeline {
    struct State {
        var contents: StoreContents?
        /// Whether a later loss of power must not undo this state.
        var isSafe: Bool
    }

    let place: TestPlace
    let registry: MigrationRegistry
    private(set) var states: [State]
    /// The index of the first state in which the store is upgraded.
    private(set) var firstUpgraded = 1
    /// How often each state was found.
    private(set) var found: [Int]

    init(_ place: TestPlace, _ registry: MigrationRegistry) throws {
        self.place = place
        self.registry = registry
        states = [State(contents: try StoreContents.found(at: place.cache), isSafe: true)]
        found = []
    }

    /// Adds the current state of the cache, and a mark to the recording.
    mutating func reach(_ name: String, isSafe: Bool) throws {
        states.append(State(contents: try StoreContents.found(at: place.cache), isSafe: isSafe))
        DiskRecording.mark(name)
    }

    /// Checks what a loss of power left, and that the next opening yields an upgraded store.
    mutating func check(_ moment: PowerLossSweep.Moment) throws {
        if found.isEmpty { found = states.map { _ in 0 } }
        let reached = moment.marks.count
        let oldest = states.indices.last { $0 <= reached && states[$0].isSafe } ?? 0
        let possible = oldest...min(reached + 1, states.count - 1)
        // Every second time, the file is opened without having been read before, which must not matter.
        var left: Int?
        if moment.number % 2 == 0 {
            let contents = try StoreContents.found(at: place.cache)
            left = possible.last { states[$0].contents == contents }
            guard left != nil else {
                let other = states.firstIndex { $0.contents == contents }
                throw Broken("It is not in one of the states \(possible), but \(other.map(String.init) ?? "torn").")
            }
            try place.checkWhole()
        }
        let cache = try CodableCache(at: place.cache, migrations: registry, configuration: People.configuration)
        let opened = try cache.contents().timeless
        try cache.set("after", forKey: "after")
        cache.close()
        // Opening runs an upgrade that was not committed.
        let expected = (left.map { $0...$0 } ?? possible).last { index in
            states[max(index, firstUpgraded)].contents?.timeless == opened
        }
        guard let expected else {
            throw Broken("Opened, it holds none of the states \(left.map { $0...$0 } ?? possible).")
        }
        try place.checkWhole()
        found[expected] += 1
    }
}
