import Foundation
import MoltCache
import MoltCore
import Synchronization
import Testing

@Suite("What is said of a migration that is half done")
struct BatchTextTests {
    private let old: OldStore

    init() throws {
        old = try OldStore((0..<40).map { StoredRecord("Person", "p\($0)", #"{"age":\#($0)}"#) })
    }

    private static func registry(
        size: Int? = 10,
        version: Int = 2,
        revision: Int = 1,
        failingAt key: String? = "p25"
    ) -> MigrationRegistry {
        let step = MigrationStep.transform("Person", revision: revision) { person in
            if person.key == key { throw Refusal() }
            person["number"] = 1
        }
        let migration = Migration(to: version, "number", step)
        return [
            Migration(to: 1, "first", .renameProperty("Person", "age", to: "years")),
            size.map { migration.committingInBatches(of: $0) } ?? migration,
        ]
    }

    private func failure(
        _ registry: MigrationRegistry,
        _ change: (inout MigrationOptions) -> Void = { _ in }
    ) throws -> MigrationError {
        var options = MigrationOptions(editedMigrations: .fail)
        change(&options)
        let error = #expect(throws: MigrationError.self) {
            _ = try Migrator(registry, options: options).migrate(CacheStore(at: old.url))
        }
        return try #require(error)
    }

    private static let halfDone = """
        This batch was rolled back, and what was committed before stays: migration "number" (version 2) is half done, with \
        20 of 40 records, and nobody can read the store until it is complete.
        """

    @Test func `is the same at each opening that fails, and what can be done`() throws {
        let advice = """
            Correct what the step does, without a new revision, or have such records set aside, as by \
            onFailure(.quarantine()). The next opening goes on from there.
            """
        for _ in 0..<3 {
            let error = try failure(Self.registry())
            #expect(error.code == .stepFailed)
            #expect(error.recordKey == "p25")
            let what = "The step's closure threw an error; see the underlying error."
            #expect(error.message == "\(what) \(Self.halfDone) \(advice)")
        }
        // And it is so.
        _ = try Migrator(Self.registry(failingAt: nil)).migrate(CacheStore(at: old.url))
        #expect(try CacheStore.state(at: old.url).unfinished == nil)
    }

    @Test func `is not that the store is as it was, nor that nothing was changed, when it is stopped`() throws {
        _ = try failure(Self.registry())
        let late = try failure(Self.registry()) { $0.deadline = .now - .seconds(1) }
        #expect(late.code == .deadlinePassed)
        let ended = "Open it again to upgrade it. The next opening goes on from there."
        #expect(late.message == "The deadline has passed. \(Self.halfDone) \(ended)")
        let cancelled = try failure(Self.registry()) { $0.isCancelled = { true } }
        #expect(cancelled.code == .cancelled)
        #expect(cancelled.message == "The opening was cancelled. \(Self.halfDone) \(ended)")
    }

    @Test func `is said also where the records that fail are too many`() throws {
        let registry = Self.registry()
        _ = try failure(registry)
        let error = try failure(registry) { $0.unconvertible = .quarantine(upTo: 0) }
        #expect(error.code == .tooManyFailures)
        let what = "1 of 40 records could not be converted so far, and the limit is 0."
        #expect(error.message.hasPrefix("\(what) \(Self.halfDone)"))
        #expect(error.message.hasSuffix("Correct the step, or allow more. The next opening goes on from there."))
    }

    @Test func `is that whole migrations stay, when only those were committed`() throws {
        let error = try failure(Self.registry(failingAt: "p3"))
        #expect(
            error.message == """
                The step's closure threw an error; see the underlying error. This part of the upgrade was rolled back, and \
                what was committed before stays. The next opening goes on from there.
                """
        )
        #expect(try CacheStore.state(at: old.url).ledger.map(\.name) == ["first"])
        // Nothing was committed before.
        let whole = try OldStore([StoredRecord("Person", "p3", "{}")])
        let single = MigrationRegistry(Array(Self.registry(failingAt: "p3").migrations.suffix(1)))
        let first = #expect(throws: MigrationError.self) { try Migrator(single).migrate(CacheStore(at: whole.url)) }
        #expect(first?.message.hasSuffix("The upgrade was rolled back; the store is as it was.") == true)
    }

    @Test func `is that it was edited, when it does not commit in batches any more`() throws {
        _ = try failure(Self.registry())
        let error = try failure(Self.registry(size: nil)) { $0.editedMigrations = .ignore }
        #expect(error.code == .migrationEdited)
        #expect(error.migration == MigrationID(name: "number", version: 2))
        #expect(
            error.message == """
                Migration "number" (version 2) is half done, with 20 of 40 records: it committed in batches, and does not \
                any more. Nobody can read the store until it is complete. Put committingInBatches back, and leave the \
                migration as it was until no store is half done.
                """
        )
        let missing = try failure([Self.registry().migrations[0], Migration(to: 2, "other")])
        #expect(missing.code == .migrationMissing)
        #expect(missing.message.contains("is half done, with 20 of 40 records, and this app does not have it."))
        #expect(!missing.message.contains("goes on from there"))
    }

    @Test func `is that it was edited while it is half done`() throws {
        _ = try failure(Self.registry())
        let error = try failure(Self.registry(revision: 2))
        #expect(error.code == .migrationEdited)
        #expect(
            error.message.hasPrefix(
                """
                Edited while it is half done: "number" (version 2), with other steps than before. 20 of 40 records went \
                through it as it was, and nobody can read the store until it is complete.
                """
            )
        )
        let plan = try MigrationPlan(forFileAt: old.url, migrations: Self.registry(revision: 2))
        #expect(plan.description.contains("edited while it is half done: \"number\" (version 2)"))
    }

    @Test func `is said to who leaves upgrades to others`() throws {
        _ = try failure(Self.registry())
        let error = try failure(Self.registry()) { $0.duty = .others() }
        #expect(error.code == .needsMigration)
        #expect(
            error.message.hasPrefix(
                "Nobody can read the store: migration \"number\" (version 2) is half done, with 20 of 40 records"
            )
        )
    }

    // MARK: Progress

    @Test(arguments: [1, 7, 10, 64])
    func `goes on from batch to batch, and never back`(size: Int) throws {
        let old = try OldStore(
            (0..<40).map { StoredRecord("Person", "p\($0)", "{}") }
                + (0..<15).map { StoredRecord("Note", "n\($0)", "{}") }
        )
        let events = Log<MigrationProgress>()
        let shown = Mutex<[Double]>([])
        let monitor = MigrationMonitor { event in
            if case .progressed(let progress) = event { events.append(progress) }
        }
        let registry: MigrationRegistry = [
            Migration(to: 1, "a", .addProperty("Note", "a", default: 1)),
            Migration(to: 2, "b", .renameType("Person", to: "Human"), .addProperty("Human", "b", default: 1))
                .committingInBatches(of: size),
            Migration(to: 3, "c", .addProperty("Human", "c", default: 1)),
            Migration(to: 4, "d", .addProperty("Human", "d", default: 1)).committingInBatches(of: size),
            Migration(to: 5, "e", .run { try $0.enumerate("Note") { _, new in new["e"] = 1 } }),
        ]
        var options = MigrationOptions(monitor: monitor)
        options.batchSize = 4
        // Looked at in the lock: points are reached by several threads.
        options.atPoint = { _ in shown.withLock { $0.append(monitor.progress.fractionCompleted) } }
        _ = try Migrator(registry, options: options).migrate(CacheStore(at: old.url))
        let fractions = events.all.map(\.fraction)
        #expect(fractions == fractions.sorted())
        #expect(fractions.first == 0)
        #expect(fractions.last == 1)
        // All is known from the start: the notes, three times the people, and a block that may look at all.
        #expect(events.all.allSatisfy { $0.total == 15 + 3 * 40 + 55 })
        #expect(Set(events.all.map(\.completed)).count > 20)
        #expect(shown.withLock { $0 == $0.sorted() })
        #expect(monitor.progress.isFinished)
    }

    @Test func `never goes back where there turn out to be more records`() throws {
        let old = try OldStore([StoredRecord("Person", "p", "{}")])
        let events = Log<MigrationProgress>()
        let shown = Mutex<[Double]>([])
        let monitor = MigrationMonitor { event in
            if case .progressed(let progress) = event { events.append(progress) }
        }
        let registry: MigrationRegistry = [
            Migration(
                to: 1,
                "create",
                .run { migration in
                    try migration.enumerate("Person") { _, _ in }
                    for number in 0..<30 { try migration.create("Note", forKey: "\(number)", ["b": 1]) }
                }
            ),
            Migration(to: 2, "notes", .addProperty("Note", "a", default: 1)).committingInBatches(of: 4),
        ]
        var options = MigrationOptions(monitor: monitor)
        // Looked at in the lock: points are reached by several threads.
        options.atPoint = { _ in shown.withLock { $0.append(monitor.progress.fractionCompleted) } }
        _ = try Migrator(registry, options: options).migrate(CacheStore(at: old.url))
        let fractions = events.all.map(\.fraction)
        #expect(fractions == fractions.sorted())
        #expect(fractions.last == 1)
        #expect(shown.withLock { $0 == $0.sorted() })
        #expect(monitor.progress.isFinished)
    }
}
