public import MoltCache
public import MoltCore

/// Injects a fault at each point of an upgrade in turn, and checks that nothing is lost.
///
/// ```swift
/// @Test func `A failure at any moment loses nothing`() async throws {
///     let summary = try await FaultSweep(of: fixture, through: migrations).run()
///     print(summary)
/// }
/// ```
/// After each fault the store must be as before the upgrade or as after it: its records, ledger and version, and the
/// suites that migrations change. Suites may lag behind only while changes to them are pending. Opened again without a
/// fault, the store must equal, byte for byte, a store that had no fault.
///
/// Every trial has its own ``TemporaryStore``.
public struct FaultSweep: Sendable {
    /// A fault that is injected at a point.
    public enum Fault: Hashable, Sendable {
        /// A point throws: before and after steps, commits and changes to suites, and for each batch read.
        case throwing
        /// One write fails.
        case writeFailsOnce
        /// A write and all later ones fail, for the given number of openings.
        case writesFailFromThenOn(openings: Int)
        /// The disk is full: SQLite's own failure, in a file with a limited number of pages.
        case diskFull
        case closureThrows
    }

    /// The store to upgrade.
    public var fixture: StoreFixture
    /// The app's registry.
    public var migrations: MigrationRegistry
    /// The faults to inject; all by default.
    public var faults: [Fault]
    /// The app's configuration of its cache, with its coders and attached stores.
    public var configuration: CodableCache.Configuration
    /// The number of records per batch, small by default so that a small fixture has several batches.
    public var batchSize: Int

    /// Creates a sweep without running it.
    ///
    /// - Parameters:
    ///   - fixture: A store with pending migrations; a few records of each type are enough.
    ///   - migrations: The app's registry.
    ///   - faults: The faults to inject; ``Fault/all`` by default.
    ///   - configuration: The app's configuration of its cache, with its coders and attached suites. Suites are copied
    ///     and compared, and directories of Cache are copied.
    ///   - batchSize: The number of records per batch.
    public init(
        of fixture: StoreFixture,
        through migrations: MigrationRegistry,
        faults: [Fault] = Fault.all,
        configuration: CodableCache.Configuration = CodableCache.Configuration(),
        batchSize: Int = 3
    ) {
        self.fixture = fixture
        self.migrations = migrations
        self.faults = faults
        self.configuration = configuration
        self.batchSize = batchSize
    }

    /// Tries every fault at every point.
    ///
    /// - Parameter limit: The maximum number of points for each fault, spread evenly over all kinds; nil for all.
    /// - Returns: The points and faults that were tried.
    /// - Throws: ``FaultFailure`` with all points at which something is lost; the error of an upgrade without a fault;
    ///   ``TestingError`` with the code `unsuitable` if nothing is pending or no fault was tried.
    @discardableResult
    public func run(limit: Int? = nil) async throws -> FaultSummary {
        try await run(at: limit.map { .spread(limit: $0) } ?? .all)
    }

    @discardableResult
    package func run(at points: Points) async throws -> FaultSummary {
        guard !faults.isEmpty else { throw Self.nothingTried("It was given no faults.") }
        var summary = FaultSummary()
        var broken: [FaultFailure.Broken] = []
        let course = try await course(entryPoint, &broken)
        // Problems without a fault would recur at every point.
        guard broken.isEmpty else { throw FaultFailure(broken: broken, summary: summary) }
        summary.available = course.points.count
        for fault in faults {
            for point in points.chosen(from: try await pointsOf(fault, on: course, &summary)) {
                let trial = FaultSummary.Trial(fault: fault, point: point)
                let result = try await result(of: trial, course)
                if result.isTried {
                    summary.trials.append(trial)
                } else {
                    summary.available -= 1
                }
                guard let problem = result.problem else { continue }
                broken.append(FaultFailure.Broken(trial: result.isTried ? trial : nil, problem: problem))
            }
        }
        guard broken.isEmpty else { throw FaultFailure(broken: broken, summary: summary) }
        guard !summary.trials.isEmpty else {
            let names = Fault.allInOrder(faults).map { "\"\($0)\"" }.joined(separator: ", ")
            throw Self.nothingTried(
                summary.available == 0 || faults.count == 1
                    ? "The upgrade reaches no point of these faults: \(names)."
                    : "No points were chosen."
            )
        }
        return summary
    }

    /// The way to open the store that is the most common one.
    package var entryPoint: EntryPoint { EntryPoint.all(for: fixture.primary)[0] }

    /// The error for a sweep that has tested nothing.
    package static func nothingTried(_ reason: String) -> TestingError {
        TestingError(.unsuitable, "The fault sweep tried no fault. \(reason)")
    }

    // MARK: The upgrade without a fault

    package struct Course {
        package var points: [FaultPoint]
        var before: SweptState
        var after: SweptState

        package func isCommitted(at point: FaultPoint) -> Bool {
            guard let commit = points.firstIndex(where: \.isCommitted) else { return false }
            return points[commit...].contains(point)
        }
    }

    /// Records an upgrade without a fault, and checks that a second one has the same result.
    package func course(_ entryPoint: EntryPoint, _ broken: inout [FaultFailure.Broken]) async throws -> Course {
        guard EntryPoint.all(for: fixture.primary).contains(entryPoint), entryPoint != .inMemory else {
            throw TestingError(
                .unsuitable,
                "A fault sweep cannot open this fixture by \"\(entryPoint)\": a store in memory does not outlive a "
                    + "failure, and a suite is opened as a suite."
            )
        }
        let injector = FaultInjector(.list)
        let store = try store()
        let before = try SweptState(store)
        _ = try await upgrade(store, by: entryPoint, injector)
        let after = try SweptState(store, before: before)
        let points = injector.points
        guard !points.isEmpty else {
            throw TestingError(
                .unsuitable,
                "The fixture is at version \(fixture.schemaVersion) and nothing is pending: a fault sweep needs a store "
                    + "that the migrations upgrade."
            )
        }
        let other = try self.store()
        _ = try await upgrade(other, by: entryPoint, nil)
        let differences = try SweptState(other, before: before).differences(from: after)
        if !differences.isEmpty {
            let problem = """
                Two upgrades of the same store do not come to the same end: a migration must not depend on the moment, \
                on chance or on what is outside the store.
                \(SweptState.list(differences))
                """
            broken.append(FaultFailure.Broken(trial: nil, problem: problem))
        }
        return Course(points: points, before: before, after: after)
    }

    private func pointsOf(
        _ fault: Fault,
        on course: Course,
        _ summary: inout FaultSummary
    ) async throws -> [FaultPoint] {
        switch fault {
        case .throwing: return course.points.filter { !$0.isWrite && $0.area != .records }
        case .closureThrows: return course.points.filter { $0.area == .records }
        case .writeFailsOnce, .writesFailFromThenOn: return course.points.filter(\.isWrite)
        case .diskFull:
            let points = try await fullDisks()
            summary.available += points.count
            return points
        }
    }

    /// The points for full disks, at file sizes between those before and after the upgrade.
    private func fullDisks() async throws -> [FaultPoint] {
        guard fixture.primary == .cache else { return [] }
        let store = try store(for: .diskFull)
        let first = try CacheStore.pageCount(at: store.url)
        _ = try await upgrade(store, by: entryPoint, nil)
        let end = try CacheStore.pageCount(at: store.url)
        let most = 64
        let stride = max(1, (end - first + most - 1) / most)
        return Swift.stride(from: first, to: end, by: stride).map { FaultPoint(fullAt: $0) }
    }

    // MARK: Opening copies

    /// A copy of the fixture; for full disks it has small pages, which allow many points.
    package func store(for fault: Fault? = nil) throws -> TemporaryStore {
        let store = try TemporaryStore(fixture, pageSize: fault == .diskFull ? 512 : nil)
        try store.makeStandIns(for: migrations, configuration)
        return store
    }

    func upgrade(
        _ store: TemporaryStore,
        by entryPoint: EntryPoint,
        _ injector: FaultInjector?,
        pageLimit: Int? = nil
    ) async throws -> MigrationReport {
        var configuration = configuration
        if let injector { configuration.options.observe(injector.hook) }
        configuration.batchSize = batchSize
        configuration.pageLimit = pageLimit
        return try await store.upgrade(through: migrations, by: entryPoint, configuration: configuration)
    }
}

extension FaultSweep.Fault: CustomStringConvertible {
    /// All faults.
    public static let all: [Self] = [
        .throwing, .writeFailsOnce, .writesFailFromThenOn(openings: 2), .diskFull, .closureThrows,
    ]

    /// The fault in words.
    public var description: String {
        switch self {
        case .throwing: "something throws"
        case .writeFailsOnce: "a write fails once"
        case .writesFailFromThenOn(let openings): "writes fail from then on, for \(openings) openings"
        case .diskFull: "the disk is full"
        case .closureThrows: "a closure throws"
        }
    }

    static func allInOrder(_ faults: [Self]) -> [Self] {
        var seen: Set<Self> = []
        return faults.filter { seen.insert($0).inserted }
    }
}

extension FaultSweep {
    package enum Points: Hashable, Sendable {
        case all
        /// Every nth point, starting with the first.
        case every(Int)
        /// One point of each kind, and others at even distances, up to a limit.
        case spread(limit: Int)
    }
}

extension FaultSweep.Points {
    package func chosen(from points: [FaultPoint]) -> [FaultPoint] {
        switch self {
        case .all: return points
        case .every(let distance):
            return points.indices.filter { $0 % max(1, distance) == 0 }.map { points[$0] }
        case .spread(let limit):
            guard points.count > limit else { return points }
            var names: Set<String> = []
            let firsts = points.indices.filter { names.insert(points[$0].kind).inserted }
            let chosen = evenly(limit, of: firsts)
            let others = points.indices.filter { !firsts.contains($0) }
            return (chosen + evenly(limit - chosen.count, of: others)).sorted().map { points[$0] }
        }
    }

    /// At most `count` of the numbers, at even distances.
    private func evenly(_ count: Int, of numbers: [Int]) -> [Int] {
        guard count < numbers.count else { return numbers }
        return (0..<max(0, count)).map { numbers[$0 * numbers.count / count] }
    }
}
