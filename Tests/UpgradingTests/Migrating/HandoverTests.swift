import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `Records that are handed over` {
    private let store: OldStore
    private var url: URL { store.url }
    private let keychain = Keychain()

    init() throws {
        store = try OldStore([
            StoredRecord("Token", "mail", #"{"value":"s3cret 1"}"#), StoredRecord("Note", "note", #"{"text":"n"}"#),
            StoredRecord("Token", "web", #"{"value":"s3cret 2"}"#),
        ])
    }

    private var handsOver: Migration { Migration(to: 2, "tokens", step) }
    private var step: MigrationStep {
        .handOverRecords("Token", to: "the Keychain") { [keychain] in try keychain.store($0) }
    }

    /// Opens the store, and closes it.
    @discardableResult
    private func open(
        _ migrations: MigrationRegistry,
        _ configure: (inout MoltConfiguration) -> Void = { _ in }
    ) throws -> MigrationReport {
        let cache = try CodableCache(at: url, migrations: migrations, configuration: .init(configure))
        defer { cache.close() }
        return cache.report
    }

    private func plan(_ migrations: MigrationRegistry) throws -> MigrationPlan {
        try CacheFile(at: url).plan(migrations)
    }

    /// The names of the files beside the store that have a token.
    private func filesWithToken() throws -> [String] {
        try store.directory.names().filter { name in
            try Data(contentsOf: store.directory.file(name)).range(of: Data("s3cret".utf8)) != nil
        }
    }

    // MARK: Once, and then erased

    @Test func `are stored elsewhere once the upgrade is committed, and then erased`() throws {
        let committed = Log<Bool>()
        let migration = Migration(
            to: 2,
            "tokens",
            .handOverRecords("Token", to: "the Keychain") { [url, keychain] token in
                committed.append(try StoreFile.state(at: url).version == 2)
                try keychain.store(token)
            }
        )
        let report = try open([migration])
        #expect(committed.all == [true, true])
        #expect(keychain.items == ["mail s3cret 1", "web s3cret 2"])
        #expect(report.counts.handedOver == 2 && report.counts.dropped == 0 && report.losses.isEmpty)
        #expect(report.work.map(\.problem) == [nil] && report.erasure?.isComplete == true)
        #expect(report.description.contains("dropped  created  handed over"))
        #expect(try filesWithToken() == [])
        #expect(try Snapshot(of: url).records.map(\.key) == ["note"])
        #expect(try plan([migration]).handovers == [])
        #expect(try open([migration]).isEmpty && keychain.items.count == 2)
        #expect(try StoreFile.damage(at: url).isEmpty)
    }

    @Test func `are not reached by later migrations of the same opening or of later ones`() throws {
        keychain.isLocked.withLock { $0 = true }
        let later = [
            Migration(to: 3, "secrets", .renameType("Token", to: "Secret"), .removeProperty("Secret", "value")),
            Migration(to: 4, "gone", .deleteType("Token", erasing: true), .deleteType("Secret", erasing: true)),
        ]
        try open([handsOver, later[0]])
        #expect(keychain.items == [])
        try open(MigrationRegistry([handsOver] + later))
        #expect(try plan(MigrationRegistry([handsOver] + later)).handovers.count == 1)
        keychain.isLocked.withLock { $0 = false }
        let report = try open(MigrationRegistry([handsOver] + later))
        #expect(keychain.items == ["mail s3cret 1", "web s3cret 2"] && report.pendingWork.isEmpty)
        #expect(try filesWithToken() == [])
    }

    @Test func `are as they are at the step, after earlier steps of the same pass`() throws {
        let registry: MigrationRegistry = [
            Migration(
                to: 1,
                "rename",
                .renameType("Token", to: "Secret"),
                .renameProperty("Secret", "value", to: "text")
            ),
            Migration(
                to: 2,
                "split",
                .transform("Note") { $0.typeName = "Secret" },
                .handOverRecords("Secret", to: "the Keychain") { [keychain] secret in
                    try keychain.store(secret, "text")
                }
            ),
        ]
        let report = try open(registry)
        #expect(keychain.items == ["mail s3cret 1", "note n", "web s3cret 2"])
        #expect(report.counts.handedOver == 3)
        #expect(try Snapshot(of: url).records.isEmpty)
    }

    @Test func `may be raw data, may have expired since, and are decoded with the migration's coders`() throws {
        let old = try OldStore([
            StoredRecord("Data", "raw", data: Array("bytes".utf8)),
            StoredRecord("Day", "day", #"{"date":"1815-12-10T00:00:00Z"}"#, expiration: 5_000_000_000),
        ])
        struct Day: Codable { var date: Date }
        let days = Log<String>()
        let migration = Migration(
            to: 1,
            "out",
            .handOverRecords("Data", to: "a file") { days.append(String(decoding: $0.data ?? Data(), as: UTF8.self)) },
            .handOverRecords("Day", to: "the calendar") { record in
                let day = try record.decoded(as: Day.self)
                days.append("\(day.date.timeIntervalSince1970) \(record.expiration?.timeIntervalSince1970 ?? 0)")
            }
        )
        .coding(
            RecordCoding {
                $0.dateEncodingStrategy = .iso8601
                $1.dateDecodingStrategy = .iso8601
            }
        )
        let cache = try CodableCache(at: old.url, migrations: [migration])
        defer { cache.close() }
        #expect(days.all == ["bytes", "-4861728000.0 5000000000.0"])
    }

    // MARK: Again, until the closure returns

    @Test func `wait for later openings until the closure returns, and do not keep others waiting`() throws {
        keychain.refused.withLock { $0 = ["mail"] }
        let events = Log<MigrationEvent>()
        let monitor = MigrationMonitor { events.append($0) }
        let first = try open([handsOver]) { $0.monitor = monitor }
        // The first one fails, and nothing says that the others would not.
        #expect(keychain.items == [] && keychain.calls.all == ["mail"])
        #expect(first.pendingWork.count == 1 && first.erasure == nil)
        #expect(first.description.contains("still to be done: 2 of 2 wait: Refusal"))
        #expect(!first.description.contains("s3cret"))
        #expect(events.all.map(\.word).contains("work failed tokens"))
        let second = try open([handsOver])
        #expect(keychain.items == ["web s3cret 2"] && keychain.calls.all == ["mail", "web", "mail"])
        #expect(second.erasure?.isComplete == true)
        let plan = try plan([handsOver])
        let line = #""tokens" (version 2): hand over the records of type Token to the Keychain: 1 waiting"#
        #expect(plan.handovers == [line] && plan.needsUpgrade && plan.pending.isEmpty)
        #expect(plan.description.contains("> to be handed over: \(line)"))

        try open([handsOver])
        #expect(keychain.items == ["web s3cret 2"])
        keychain.refused.withLock { $0 = [] }
        let last = try open([handsOver])
        #expect(keychain.items == ["mail s3cret 1", "web s3cret 2"])
        #expect(last.pendingWork.isEmpty && !last.isEmpty)
        #expect(try filesWithToken() == [])
    }

    @Test func `are left to the next opening after ten failures`() throws {
        let old = try OldStore((1...30).map { StoredRecord("Token", "\($0)", "{}") })
        let calls = Log<String>()
        let migration = Migration(
            to: 1,
            "out",
            .handOverRecords("Token", to: "a server") { token in
                calls.append(token.key)
                if token.key != "3" { throw Refusal(value: "secret") }
            }
        )
        func open() throws -> [String] {
            let cache = try CodableCache(at: old.url, migrations: [migration])
            defer { cache.close() }
            return cache.report.work.compactMap(\.problem)
        }
        for _ in 1...2 { #expect(try open().first?.hasPrefix("30 of 30 wait") == true) }
        #expect(calls.all == ["1", "2"])
        #expect(try open().first?.hasPrefix("29 of 30 wait") == true)
        #expect(calls.all == (1...13).map(String.init))
    }

    @Test func `are erased page by page, however many there are`() throws {
        let old = try OldStore((0..<1_000).map { StoredRecord("Token", "\($0)", #"{"value":"s3cret \#($0)"}"#) })
        let cache = try CodableCache(at: old.url, migrations: [handsOver])
        defer { cache.close() }
        #expect(keychain.items.count == 1_000 && cache.report.pendingWork.isEmpty)
        #expect(try StoreFile.handovers(at: old.url).isEmpty)
    }

    @Test func `are handed over by no dry run, helper or test, which say what waits`() throws {
        let dryRun = try CacheFile(at: url).dryRunAndWait([handsOver])
        #expect(dryRun.work.map(\.problem) == ["2 of 2 wait: a dry run does not do it"])
        #expect(dryRun.counts.handedOver == 2 && keychain.items == [])
        keychain.isLocked.withLock { $0 = true }
        try open([handsOver])
        keychain.isLocked.withLock { $0 = false }
        let helper = try open([handsOver]) { $0.process = .helper(waiting: .zero) }
        #expect(helper.work.map(\.problem) == ["2 of 2 wait: it is up to the process that upgrades the store"])
        #expect(try CacheFile(at: url).dryRunAndWait([handsOver]).pendingWork.count == 1)
        #expect(keychain.items == [])
        try open([handsOver])
        #expect(keychain.items.count == 2)
    }

    @Test func `stay in the file if the step leaves the registry, until a step with the same type is back`() throws {
        keychain.isLocked.withLock { $0 = true }
        try open([handsOver])
        keychain.isLocked.withLock { $0 = false }
        let report = try open([Migration(to: 3, "both", replacing: ["tokens"], .renameType("Note", to: "Memo"))])
        #expect(report.pendingWork.first?.problem?.contains("no step of the registry hands them over any more") == true)
        #expect(keychain.items == [])
        try open([Migration(to: 4, "short", replacing: ["tokens", "both"], step)])
        #expect(keychain.items == ["mail s3cret 1", "web s3cret 2"])
    }

    @Test(arguments: [false, true])
    func `are left to another build after five interruptions, unless the app says otherwise`(retries: Bool) throws {
        keychain.isLocked.withLock { $0 = true }
        try open([handsOver])
        keychain.isLocked.withLock { $0 = false }
        let attempts = try (1...5).map { _ in
            var attempt = UpgradeAttempt(from: 2, to: 2, appVersion: "1", build: "1")
            attempt.work = "handover 1"
            return try JSONEncoder().encode(attempt) + Data("\n".utf8)
        }
        try Data(attempts.joined()).write(to: store.directory.file("cache.molt-work-attempt"))
        func report(ofBuild build: String, retries: Bool = false) throws -> MigrationReport {
            try self.open([handsOver]) {
                $0.appVersion = "1"
                $0.retriesInterruptedUpgrades = retries
                $0.hooks.build = build
            }
        }
        #expect(try report(ofBuild: "1").pendingWork.first?.problem?.contains("was interrupted 5 times") == true)
        // Those that did not crash are not kept waiting.
        #expect(keychain.items == ["web s3cret 2"])
        #expect(try report(ofBuild: retries ? "1" : "2", retries: retries).pendingWork.isEmpty)
        #expect(keychain.items.count == 2)
    }

    @Test func `are erased by the next opening if this one is stopped before`() throws {
        #expect(throws: Refusal.self) {
            try open([handsOver]) { $0.hooks.atPoint = { if $0.kind == .erase { throw Refusal() } } }
        }
        #expect(keychain.items.count == 2)
        #expect(try open([handsOver]).erasure?.isComplete == true)
        #expect(try filesWithToken() == [] && keychain.calls.count == 2)
    }

    @Test func `go to the closure of the step that has taken them, or else to that of the last one`() throws {
        let calls = Log<String>()
        func handsOver(_ name: String, to version: Int, replacing names: [String] = []) -> Migration {
            Migration(
                to: version,
                name,
                replacing: names,
                .handOverRecords("Token", to: "a list") { token in calls.append("\(name): \(token.key)") }
            )
        }
        keychain.isLocked.withLock { $0 = true }
        try open([self.handsOver])
        try open([handsOver("tokens", to: 2), handsOver("later", to: 3)])
        #expect(calls.all == ["tokens: web", "tokens: mail"])

        let old = try OldStore([StoredRecord("Token", "mail", #"{"value":"s3cret 1"}"#)])
        try CodableCache(at: old.url, migrations: [self.handsOver]).close()
        let registry: MigrationRegistry = [
            handsOver("all", to: 3, replacing: ["tokens"]), handsOver("later", to: 4),
        ]
        try CodableCache(at: old.url, migrations: registry).close()
        #expect(calls.all.last == "later: mail")
    }

    @Test func `are not left to another build because the closure throws at each opening`() throws {
        keychain.isLocked.withLock { $0 = true }
        for _ in 1...12 { try open([handsOver]) }
        keychain.isLocked.withLock { $0 = false }
        #expect(try open([handsOver]).pendingWork.isEmpty && keychain.items.count == 2)
    }

    @Test func `come last if a crash has interrupted them, and in their order if the opening was cancelled`() throws {
        let isCancelled = Locked(false)
        try open([handsOver]) {
            $0.isCancelled = { isCancelled.withLock { $0 } }
            $0.hooks.atPoint = { if $0.kind == .afterCommit { isCancelled.withLock { $0 = true } } }
        }
        #expect(keychain.calls.count == 0)
        keychain.isLocked.withLock { $0 = true }
        // It fails for the first one, and leaves the second one.
        try open([handsOver])
        #expect(keychain.calls.all == ["mail"])
        keychain.isLocked.withLock { $0 = false }
        var attempt = UpgradeAttempt(from: 2, to: 2, appVersion: "1", build: "1")
        attempt.work = "handover 2"
        try (JSONEncoder().encode(attempt) + Data("\n".utf8))
            .write(to: store.directory.file("cache.molt-work-attempt"))
        try open([handsOver])
        #expect(keychain.calls.all == ["mail", "mail", "web"])
    }

    @Test func `are handed over by one opening at a time`() throws {
        let problems = Log<String?>()
        let registry: MigrationRegistry = [handsOver]
        let migration = Migration(
            to: 2,
            "tokens",
            .handOverRecords("Token", to: "the Keychain") { [url, keychain] token in
                if problems.count == 0 {
                    problems.append(nil)
                    let other = try CodableCache(at: url, migrations: registry)
                    defer { other.close() }
                    for work in other.report.work { problems.append(work.problem) }
                }
                try keychain.store(token)
            }
        )
        try open([migration])
        #expect(problems.all == [nil, "2 of 2 wait: another process is doing it"])
        #expect(keychain.calls.all == ["mail", "web"])
    }

    @Test func `wait in the file that was set aside if the store is begun afresh meanwhile`() throws {
        let file = CacheFile(at: url)
        let asides = Log<URL>()
        let migration = Migration(
            to: 2,
            "tokens",
            .handOverRecords("Token", to: "the Keychain") { [keychain] token in
                try keychain.store(token)
                if let aside = try file.startAfresh() { asides.append(aside.url) }
            }
        )
        let report = try open([migration])
        #expect(report.pendingWork.first?.problem?.contains("could not be removed from the file") == true)
        #expect(try StoreFile.handovers(at: #require(asides.all.first)).count == 2)
    }

    // MARK: With other features

    @Test func `come before the work after the commit, which no longer sees them`() throws {
        let log = Log<String>()
        let migration = handsOver.afterCommit("look") { [keychain] store in
            log.append("\(keychain.items.count) \(try store.count(ofType: "Token"))")
        }
        let report = try open([migration])
        #expect(log.all == ["2 0"])
        #expect(report.work.count == 2)
    }

    @Test func `go through migrations on read first`() throws {
        let onRead = Migration(to: 1, "on-read", .renameProperty("Token", "value", to: "text")).onRead()
        try open([onRead])
        let migration = Migration(
            to: 2,
            "tokens",
            .handOverRecords("Token", to: "the Keychain") { [keychain] in try keychain.store($0, "text") }
        )
        try open([onRead, migration])
        #expect(keychain.items == ["mail s3cret 1", "web s3cret 2"])
    }

    @Test func `are gone for a cache that only reads an older file`() throws {
        let cache = try CodableCache(reading: url, migrations: [handsOver])
        defer { cache.close() }
        #expect(try cache.keys() == ["note"] && keychain.items == [])
    }

    @Test func `in a store in memory are handed over when it is opened`() throws {
        let cache = try CodableCache(
            inMemory: [
                Migration(
                    to: 1,
                    "new",
                    .run(onFreshStore: true) { try $0.create("Token", forKey: "a", ["value": "b"]) }
                ),
                handsOver,
            ]
        )
        defer { cache.close() }
        #expect(keychain.items == ["a b"] && cache.report.pendingWork.isEmpty)
    }

    @Test func `leave quarantine when a retry leads through the step, and wait for the next opening`() throws {
        let broken = Locked(true)
        let registry: MigrationRegistry = [
            Migration(
                to: 1,
                "check",
                .transform("Token") { token in
                    if broken.withLock({ $0 }), token.key == "web" { throw Refusal(value: "") }
                    token["checked"] = .bool(true)
                }
                .onFailure(.quarantine(upTo: .unlimited))
            ), handsOver,
        ]
        try open(registry)
        #expect(keychain.items == ["mail s3cret 1"])
        broken.withLock { $0 = false }
        let cache = try CodableCache(at: url, migrations: registry)
        let retried = try cache.retryQuarantined(with: registry)
        #expect(retried.map(\.outcome) == [.handedOver])
        #expect(retried.first?.description.hasPrefix("to be handed over: ") == true)
        #expect(try cache.quarantinedCount == 0)
        cache.close()
        try open(registry)
        #expect(keychain.items == ["mail s3cret 1", "web s3cret 2"])
    }

    @Test func `in quarantine are not erased with a later deletion of their type, and can be handed over`() throws {
        let isBroken = Locked(true)
        let registry: MigrationRegistry = [
            Migration(
                to: 1,
                "check",
                .transform("Token") { token in
                    if isBroken.withLock({ $0 }), token.key == "web" { throw Refusal(value: "") }
                }
                .onFailure(.quarantine(upTo: .unlimited))
            ), handsOver, Migration(to: 3, "gone", .deleteType("Token", erasing: true)),
        ]
        try open(registry)
        isBroken.withLock { $0 = false }
        let cache = try CodableCache(at: url, migrations: registry)
        #expect(try cache.retryQuarantined(with: registry).map(\.outcome) == [.handedOver])
        cache.close()
        try open(registry)
        #expect(keychain.items == ["mail s3cret 1", "web s3cret 2"])
    }

    @Test func `have the name of the type at the step, whichever way they come`() throws {
        let names = Log<String>()
        let isBroken = Locked(true)
        let registry: MigrationRegistry = [
            Migration(
                to: 1,
                "check",
                .transform("Token") { if isBroken.withLock({ $0 }), $0.key == "web" { throw Refusal(value: "") } }
                    .onFailure(.quarantine(upTo: .unlimited)),
                .renameType("Token", to: "Secret")
            ),
            Migration(
                to: 2,
                "out",
                .handOverRecords("Secret", to: "a list") { names.append("\($0.key) \($0.typeName)") }
            ),
        ]
        let cache = try CodableCache(at: url, migrations: registry)
        isBroken.withLock { $0 = false }
        try cache.retryQuarantined(with: registry)
        try cache.set(document: Data("{}".utf8), ofType: "Token", writtenAt: 0, forKey: "new")
        cache.close()
        try open(registry)
        #expect(names.all == ["mail Secret", "web Secret", "new Secret"])
    }

    @Test func `are decoded with the coders of the migration that takes them, which must be declared`() throws {
        let coding = RecordCoding { $1.dateDecodingStrategy = .iso8601 }
        let registry = MigrationRegistry([Migration(to: 1, "first"), handsOver]).coding(coding, through: 1)
        #expect(registry.faults.contains { $0.contains("tokens") && $0.contains(".coding(") })
    }

    @Test func `are handed over by the app, and not by a tool that upgrades its store`() throws {
        let report = try open([handsOver]) { $0.process = .tool }
        #expect(report.work.map(\.problem) == ["2 of 2 wait: a tool does not do it; it is up to the app"])
        #expect(keychain.calls.count == 0)
        try open([handsOver])
        #expect(keychain.items.count == 2)
    }

    @Test func `cannot be single documents, and wait in a cache that gets one`() throws {
        let upgrade = try DocumentUpgrade([handsOver])
        MoltError.thrown { try upgrade.upgrade(Data("{}".utf8), ofType: "Token", writtenAt: 0) }?
            .expect(.unsupported, migration: "tokens", step: 1, says: "a document is in no store")
        #expect(try !upgrade.upgrade(Data("{}".utf8), ofType: "Note", writtenAt: 0).isDropped)
        let cache = try CodableCache(at: url, migrations: [handsOver])
        let json = Data(#"{"value":"late"}"#.utf8)
        #expect(try cache.set(document: json, ofType: "Token", writtenAt: 0, forKey: "new").isDropped)
        #expect(try cache.keys() == ["note"])
        cache.close()
        try open([handsOver])
        #expect(keychain.items == ["mail s3cret 1", "new late", "web s3cret 2"])
    }

    @Test func `of an import wait for the next opening of the store that has it`() async throws {
        let export = store.directory.file("old.json")
        let other = store.directory.file("other.molt")
        let old = try CodableCache(at: url)
        _ = try await old.export(to: export)
        old.close()
        let cache = try CodableCache(at: other, migrations: [handsOver])
        for _ in 1...2 {
            let summary = try await cache.import(from: export, onConflict: .keep)
            #expect(summary.waiting == 2 && summary.description.contains("2 to be handed over"))
        }
        #expect(try await cache.import(from: export, only: .keys(["mail"])).waiting == 1)
        #expect(
            try await cache.import(from: export, only: RecordSelection(types: ["Note"]), onConflict: .keep).waiting == 0
        )
        #expect(keychain.items == [])
        #expect(try cache.keys() == ["note"])
        cache.close()
        #expect(try StoreFile.handovers(at: other).count == 2)
        try CodableCache(at: other, migrations: [handsOver]).close()
        #expect(keychain.items == ["mail s3cret 1", "web s3cret 2"])
    }

    @Test func `stay in a store from whose file records are imported`() throws {
        keychain.isLocked.withLock { $0 = true }
        try open([handsOver])
        let cache = try CodableCache(at: store.directory.file("other.molt"), migrations: [handsOver])
        defer { cache.close() }
        let summary = try cache.importAndWait(from: url)
        #expect(summary.added == 1 && summary.waiting == 0)
    }

    @Test func `wait in a store that is moved, also if it has nothing else`() throws {
        let old = try OldStore([StoredRecord("Token", "mail", #"{"value":"s3cret 1"}"#)])
        keychain.isLocked.withLock { $0 = true }
        try CodableCache(at: old.url, migrations: [handsOver]).close()
        keychain.isLocked.withLock { $0 = false }
        let new = store.directory.file("new.molt")
        let registry = MigrationRegistry([handsOver]).storeMove(from: old.url, to: new)
        try CodableCache(at: new, migrations: registry).close()
        #expect(keychain.items == ["mail s3cret 1"])
    }

    @Test func `do not wait beside those that a restored backup has`() throws {
        let file = CacheFile(at: url)
        let backup = try file.backUp()
        keychain.isLocked.withLock { $0 = true }
        try open([handsOver])
        try file.restore(backup)
        #expect(try StoreFile.handovers(at: url).isEmpty && Snapshot(of: url).records.count == 3)
        keychain.isLocked.withLock { $0 = false }
        try open([handsOver])
        #expect(keychain.calls.all == ["mail", "mail", "web"])
    }

    @Test func `wait in a backup, too`() throws {
        keychain.isLocked.withLock { $0 = true }
        try open([handsOver])
        let file = CacheFile(at: url)
        let backup = try file.backUp()
        keychain.isLocked.withLock { $0 = false }
        try open([handsOver])
        try file.restore(backup)
        try open([handsOver])
        #expect(keychain.calls.count == 1 + 2 + 2)
        #expect(keychain.items.count == 2)
    }
}

/// A place outside the store.
private final class Keychain: Sendable {
    let isLocked = Locked(false)
    let refused = Locked<Set<String>>([])
    let calls = Log<String>()
    private let stored = Locked<[String: String]>([:])

    /// Each key with its value, sorted.
    var items: [String] { stored.withLock { $0.map { "\($0) \($1)" } }.sorted() }

    func store(_ record: Record, _ property: PropertyPath = "value") throws {
        calls.append(record.key)
        guard !isLocked.withLock({ $0 }), !refused.withLock({ $0 }).contains(record.key) else {
            throw Refusal(value: "s3cret")
        }
        let value = try record.string(record.contains("text") ? "text" : property)
        stored.withLock { $0[record.key] = value }
    }
}
