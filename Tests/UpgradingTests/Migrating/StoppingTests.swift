import Foundation
import Molt
import Testing

/// An upgrade is asked to stop from within a closure, and the closure calls that begin afterwards are counted.
@Suite("An upgrade that is asked to stop")
struct StoppingTests {
    /// More than one batch of the default size.
    private static let records = (0..<1_300).map { StoredRecord("Person", "p\($0)", #"{"id":\#($0)}"#) }

    private struct Person: Codable { var id: Int }

    enum Work: String, CaseIterable, Sendable {
        case steps
        case convert
        case block
        case replay
    }

    enum Way: String, CaseIterable, Sendable {
        case cancellation
        case deadline
    }

    /// Does the work on each record, and calls a closure before.
    static func migrations(_ work: Work, _ onRecord: @escaping @Sendable () -> Void) -> MigrationRegistry {
        let step: MigrationStep =
            switch work {
            case .steps:
                .transform("Person") { person in
                    onRecord()
                    person["x"] = 1
                }
            case .convert:
                .convert("Person", from: Person.self, to: Person.self) { person in
                    onRecord()
                    return Person(id: person.id + 1)
                }
            case .block:
                .run { migration in
                    try migration.enumerate("Person") { _, new in
                        onRecord()
                        new["x"] = 1
                    }
                }
            case .replay:
                .transform("Person") { _ in
                    onRecord()
                    throw Refusal()
                }
            }
        return [Migration(to: 1, "change", step)]
    }

    @Test(arguments: Way.allCases, Work.allCases)
    func `visits no further record`(way: Way, work: Work) throws {
        // A failing record goes through its step again when its batch is written. Record 513 is the first of these
        // calls.
        let last = work == .replay ? 513 : 100
        let store = try OldStore(Self.records)
        let before = try store.snapshot()
        let isOver = Locked(false)
        let seen = Locked(0)
        let afterwards = Locked(0)
        var configuration = MoltConfiguration()
        configuration.isCancelled = { way == .cancellation && isOver.withLock { $0 } }
        let deadline = ContinuousClock.now + .milliseconds(400)
        if way == .deadline { configuration.deadline = deadline }
        let migrations = Self.migrations(work) {
            if isOver.withLock({ $0 }) { afterwards.withLock { $0 += 1 } }
            let isLast = seen.withLock { seen in
                seen += 1
                return seen == last
            }
            guard isLast else { return }
            while way == .deadline, ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: 0.002) }
            isOver.withLock { $0 = true }
        }
        MoltError.thrown {
            try Migrator(migrations.onFailure(.quarantine(upTo: .unlimited)), configuration: configuration)
                .migrate(StoreFile(at: store.url))
        }?.expect(
            way == .deadline ? .deadlinePassed : .cancelled,
            says: "The upgrade was rolled back; the store is as it was."
        )
        // Other threads may have checked just before, and while one batch is written, another one is being processed.
        let threads = work == .convert ? ProcessInfo.processInfo.activeProcessorCount : work == .replay ? 1 : 0
        let calls = afterwards.withLock { $0 }
        #expect(calls <= threads)
        let after = try store.snapshot()
        #expect(after == before)
    }

    @Test func `checks for cancellation even during steps without a closure`() throws {
        let asked = Locked(0)
        var configuration = MoltConfiguration()
        configuration.isCancelled = {
            asked.withLock { $0 += 1 }
            return false
        }
        let registry: MigrationRegistry = [Migration(to: 1, "x", .renameProperty("Person", "id", to: "number"))]
        let store = try OldStore(Self.records)
        _ = try Migrator(registry, configuration: configuration).migrate(StoreFile(at: store.url))
        let count = asked.withLock { $0 }
        #expect(count >= 1_300 / 16 && count < 1_300 / 4, "\(count)")
    }
}
