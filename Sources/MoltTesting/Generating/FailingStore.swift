/// A store for which a property does not hold, on its way to a small one.
struct FailingStore {
    /// The smallest store so far for which it does not.
    private(set) var store: StoreFixture
    /// What it threw for that store.
    private var thrown: any Error
    private let sets: [SampleSet]
    private let firstCount: Int
    private var triesLeft: Int
    private var triesMade = 0
    private var steps = 0
    /// The way to make it smaller that is next.
    private var position = 0
    private var ways: [StoreReduction]
    /// Whether one was found since the ways were last gone through from the first.
    private var hasProgress = false

    init(_ store: StoreFixture, _ thrown: any Error, _ sets: [SampleSet], tries: Int) {
        self.store = store
        self.thrown = thrown
        self.sets = sets
        firstCount = store.records.count
        triesLeft = tries
        ways = StoreReduction.all(for: store, sets)
    }

    /// A smaller store to try, or nil when there is none.
    mutating func nextSmaller() -> StoreFixture? {
        while triesLeft > 0 {
            guard position < ways.count else {
                guard hasProgress else { return nil }
                hasProgress = false
                position = 0
                continue
            }
            position += 1
            guard let smaller = ways[position - 1].applied(to: store, sets) else { continue }
            triesLeft -= 1
            triesMade += 1
            return smaller
        }
        return nil
    }

    /// Goes on from a smaller store, for which the property does not hold either.
    mutating func keep(_ smaller: StoreFixture, _ error: any Error) {
        store = smaller
        thrown = error
        steps += 1
        hasProgress = true
        // What made it smaller once may do so again.
        position -= 1
        ways = StoreReduction.all(for: store, sets)
    }

    /// What is thrown in the end.
    func error(run: Int, of runs: Int, seed: UInt64) -> TestingError {
        let steps = steps == 1 ? "1 step" : "\(steps) steps"
        let records = firstCount == 1 ? "1 record" : "\(firstCount) records"
        var error = TestingError(
            .propertyFailed,
            """
            It failed in run \(run + 1) of \(runs), with the seed \(seed). The store had \(records); in \(steps), of \
            \(triesMade) tried, it became this one, with which it fails, too:
            \(store.json)
            Try that store again with check(runs: 1, seed: \(seed)).
            """,
            underlying: thrown
        )
        error.store = store
        return error
    }
}
