public import Molt

extension StoreFixture {
    /// Interrupts an upgrade at each of its points in turn, and checks that nothing is lost.
    ///
    /// ```swift
    /// @Test func `A failure at any moment loses nothing`() async throws {
    ///     print(try await fixture.verifyInterruptions(through: migrations))
    /// }
    /// ```
    /// At each point an error is thrown; from each write on, all writes fail; and at each size of the file, the disk
    /// is full. After that, the store must be as before the upgrade or as after it: its records, ledger and version,
    /// and the suites that migrations change. Suites may lag behind only while changes to them are pending. Opened
    /// again without a fault, the store must equal, byte for byte, a store that had no fault.
    ///
    /// Each upgrade works on a ``TemporaryStore`` of its own, with batches of three records.
    ///
    /// - Parameters:
    ///   - migrations: The app's registry, with migrations that are pending; a few records of each type are enough.
    ///   - configuration: The app's configuration of its cache, with its coders and suites. Suites are copied
    ///     and compared, and directories of Cache are copied.
    ///   - limit: The maximum number of points for each fault, with at least one of each kind; nil for all.
    /// - Returns: All interruptions.
    /// - Throws: ``InterruptionReport`` if something went wrong; the error of an upgrade without a fault;
    ///   ``TestingError`` if nothing is pending.
    @discardableResult
    public func verifyInterruptions(
        through migrations: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration(),
        limit: Int? = nil
    ) async throws -> InterruptionReport {
        try await FaultSweep(of: self, through: migrations, configuration: configuration, limit: limit).run()
    }
}

/// Repeats an upgrade with another fault each time; see
/// ``StoreFixture/verifyInterruptions(through:configuration:limit:)``.
package struct FaultSweep: Sendable {
    /// What happens at a point.
    package enum Fault: String, Sendable {
        case error = "an error is thrown"
        /// A write and all later ones fail, in two openings.
        case failingWrites = "writes fail from then on"
        /// SQLite's own failure, in a file with a limited number of pages.
        case fullDisk = "the disk is full"
        /// Only in tests that start processes.
        case kill = "the process is killed"
    }

    /// An upgrade without a fault.
    private struct Course {
        let points: [FaultPoint]
        let before: SweptState
        let after: SweptState
    }

    package let fixture: StoreFixture
    private let migrations: MigrationRegistry
    private let configuration: MoltConfiguration
    private let limit: Int?
    package let batchSize: Int

    package init(
        of fixture: StoreFixture,
        through migrations: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration(),
        limit: Int? = nil,
        batchSize: Int = 3
    ) {
        self.fixture = fixture
        self.migrations = fixture.addingBaseline(to: migrations)
        self.configuration = configuration
        self.limit = limit
        self.batchSize = batchSize
    }

    /// - Parameter kill: Upgrades a store in a process that is killed at a point; returns whether it was.
    package func run(
        _ faults: [Fault] = [.error, .failingWrites, .fullDisk],
        kill: (TemporaryStore, FaultPoint) async throws -> Bool = { _, _ in false }
    ) async throws -> InterruptionReport {
        let course = try await course()
        var report = InterruptionReport()
        report.available = course.points.count
        for fault in faults {
            let points = try await points(of: fault, on: course)
            if fault == .fullDisk { report.available += points.count }
            for point in chosen(from: points) {
                let (problem, isTried) = try await result(of: fault, at: point, course, kill)
                if isTried {
                    report.trials.append(InterruptionReport.Trial(problem: problem, kind: fault, faultPoint: point))
                } else {
                    report.available -= 1
                    report.problems += problem.map { [$0] } ?? []
                }
            }
        }
        guard report.failures.isEmpty, report.problems.isEmpty else { throw report }
        guard !report.trials.isEmpty else {
            throw TestingError(
                .unsuitable,
                "The upgrade was not interrupted, because no point is within the limit. Raise it."
            )
        }
        return report
    }

    // MARK: Points

    /// Records an upgrade without a fault, and checks that a second one has the same result.
    ///
    /// - Throws: ``InterruptionReport`` if it has not: the differences would recur at every point.
    private func course() async throws -> Course {
        let injector = FaultInjector { _, _ in false }
        let store = try store()
        let before = try SweptState(store)
        try await upgrade(store, injector)
        let course = Course(points: injector.points, before: before, after: try SweptState(store, before: before))
        guard !course.points.isEmpty else {
            throw TestingError(
                .unsuitable,
                "The fixture is at version \(fixture.version) and nothing is pending. Use a fixture that "
                    + "the migrations upgrade."
            )
        }
        let other = try self.store()
        try await upgrade(other)
        let differences = try SweptState(other, before: before).differences(from: course.after)
        guard differences.isEmpty else {
            let problem = SweptState.text(
                "Two upgrades of the same store have different results. A migration must not depend on the time, on "
                    + "chance or on anything outside the store.",
                differences
            )
            throw InterruptionReport(problems: [problem])
        }
        return course
    }

    private func points(of fault: Fault, on course: Course) async throws -> [FaultPoint] {
        switch fault {
        case .error, .kill: return course.points
        case .failingWrites: return course.points.filter(\.isWrite)
        case .fullDisk:
            guard fixture.primary == .cache else { return [] }
            let store = try store(for: .fullDisk)
            let first = try StoreFile.pageCount(at: store.url)
            try await upgrade(store)
            let end = try StoreFile.pageCount(at: store.url)
            return stride(from: first, to: end, by: max(1, (end - first + 63) / 64)).map { FaultPoint(pages: $0) }
        }
    }

    /// The points that the limit allows: one of each kind, and others at even distances.
    private func chosen(from points: [FaultPoint]) -> [FaultPoint] {
        guard let limit, points.count > limit else { return points }
        func evenly(_ count: Int, of points: [FaultPoint]) -> [FaultPoint] {
            count < points.count ? (0..<max(0, count)).map { points[$0 * points.count / count] } : points
        }
        var names: Set<String> = []
        let firsts = points.filter { names.insert($0.name).inserted }
        let chosen = evenly(limit, of: firsts)
        let others = evenly(limit - chosen.count, of: points.filter { !firsts.contains($0) })
        return points.filter(Set(chosen + others).contains)
    }

    // MARK: Faults

    /// - Returns: The problem, and whether the fault occurred: an upgrade may need less space than the one before.
    private func result(
        of fault: Fault,
        at point: FaultPoint,
        _ course: Course,
        _ kill: (TemporaryStore, FaultPoint) async throws -> Bool
    ) async throws -> (problem: String?, isTried: Bool) {
        let store = try store(for: fault)
        var isTried = true
        for opening in 1...(fault == .failingWrites ? 2 : 1) {
            let injector = FaultInjector { reached, hasFailed in
                if opening == 1, reached == point { return true }
                return fault == .failingWrites && reached.isWrite && (opening == 2 || hasFailed)
            }
            var isDone = false
            if fault == .kill {
                guard try await kill(store, point) else { return ("The child process was not killed there.", true) }
            } else {
                do {
                    try await upgrade(store, injector, pageLimit: fault == .fullDisk ? point.pages : nil)
                    isDone = true
                } catch {}
            }
            let left = problem(with: store, after: point, course)
            if isDone, injector.hasFailed {
                let head =
                    "The upgrade ignored the failure, and reported success. If a closure of the app has caught the error, "
                    + "it must throw it again. Otherwise, this is a fault of Molt: please report it."
                return (head + (left.map { "\n\($0)" } ?? ""), true)
            }
            if fault == .fullDisk { isTried = !isDone }
            if let left { return (left, isTried) }
            if opening == 1, fault == .error || fault == .failingWrites, !injector.hasFailed {
                return ("The upgrade did not reach this point again: its steps are not deterministic.", true)
            }
        }
        do {
            try await upgrade(store)
        } catch {
            return ("The store can no longer be upgraded: \(Self.text(of: error))", isTried)
        }
        return (problem(with: store, after: nil, course), isTried)
    }

    /// The problem with a store after a fault, or, without a point, after one more opening; nil if there is none.
    private func problem(with store: TemporaryStore, after point: FaultPoint?, _ course: Course) -> String? {
        do {
            let damage = fixture.primary == .cache ? try StoreFile.damage(at: store.url) : []
            guard damage.isEmpty else { return SweptState.text("The file is damaged:", damage) }
            let state = try SweptState(store, before: course.before)
            if let point {
                let commit = course.points.firstIndex { $0.point?.kind == .afterCommit } ?? course.points.endIndex
                let isCommitted = course.points[commit...].contains(point)
                return state.problem(between: course.before, and: course.after, isCommitted: isCommitted)
            }
            let lines = state.differences(from: course.after)
            let head = "After it was opened again, the store differs from one that was upgraded without a fault:"
            return lines.isEmpty ? nil : SweptState.text(head, lines)
        } catch {
            return "The store cannot be read: \(error)"
        }
    }

    /// An error with its underlying errors in full, because fixtures contain no user data.
    private static func text(of error: any Error) -> String {
        guard let underlying = (error as? MoltError)?.underlying else { return "\(error)" }
        return "\(error)\n\(text(of: underlying))"
    }

    // MARK: Copies

    /// The way to open the store that is the most common one.
    package var entryPoint: EntryPoint { EntryPoint.all(for: fixture.primary)[0] }

    /// A copy of the fixture; for full disks it has small pages, which allow many points.
    private func store(for fault: Fault? = nil) throws -> TemporaryStore {
        let store = try TemporaryStore(fixture, pageSize: fault == .fullDisk ? 512 : nil)
        try store.makeStandIns(for: migrations, configuration)
        return store
    }

    private func upgrade(_ store: TemporaryStore, _ injector: FaultInjector? = nil, pageLimit: Int? = nil) async throws
    {
        var configuration = configuration
        configuration.hooks.atPoint = injector?.hook
        configuration.hooks.batchSize = batchSize
        configuration.hooks.pageLimit = pageLimit
        _ = try await store.upgrade(through: migrations, by: entryPoint, configuration: configuration)
    }
}
