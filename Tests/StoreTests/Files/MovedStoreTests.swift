import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `Moving a store's file` {
    private let scratch: ScratchDirectory
    private let old: URL
    private let new: URL
    private let registry: MigrationRegistry

    /// A store at the old place with records, a quarantine and a backup.
    init() throws {
        scratch = try ScratchDirectory()
        old = scratch.url.appending(path: "Caches/people.molt")
        new = scratch.url.appending(path: "Group/Library/contacts.molt")
        registry = Self.registry(from: old, to: new)
        let cache = try CodableCache(at: old)
        try cache.set(document: Data(#"{"mail":"a@b"}"#.utf8), ofType: "Person", writtenAt: 0, forKey: "ada")
        try cache.set(document: Data(#"{"mail":7}"#.utf8), ofType: "Person", writtenAt: 0, forKey: "eve")
        cache.close()
        var configuration = MoltConfiguration()
        configuration.backup = BackupPolicy()
        try CodableCache(at: old, migrations: [Self.first], configuration: configuration).close()
    }

    private static let first = Migration(
        to: 1,
        "first",
        .mapValue("Person", "mail", ["a@b": "a@c"], otherwise: .fail).onFailure(.quarantine(upTo: 1))
    )

    private static func registry(from old: URL, to new: URL, _ others: Migration...) -> MigrationRegistry {
        MigrationRegistry(
            [first, Migration(to: 3, "email", .renameProperty("Person", "mail", to: "email"))] + others
        )
        .storeMove(from: old, to: new)
    }

    /// The registry of a release that only moves the store.
    private var moving: MigrationRegistry { MigrationRegistry([Self.first]).storeMove(from: old, to: new) }

    private func exists(_ url: URL) -> Bool { FileStatus.unfollowed(url.path) != nil }

    private func fails(_ code: MoltError.Code, says words: String..., opening: () throws -> Void) throws {
        let before = [old, new].map { try? Data(contentsOf: $0) }
        let error = try #require(throws: MoltError.self) { try opening() }
        #expect(error.code == code)
        for word in words { #expect(error.message.contains(word), "\(error)") }
        #expect([old, new].map { try? Data(contentsOf: $0) } == before)
    }

    private func fails(
        _ code: MoltError.Code,
        says words: String...,
        configure: (inout MoltConfiguration) -> Void = { _ in }
    )
        throws
    {
        var configuration = MoltConfiguration()
        configuration.timeout = .milliseconds(20)
        configure(&configuration)
        try fails(code) { try CodableCache(at: new, migrations: registry, configuration: configuration).close() }
        let error = try #require(throws: MoltError.self) {
            try CodableCache(at: new, migrations: registry, configuration: configuration)
        }
        for word in words { #expect(error.message.contains(word), "\(error)") }
    }

    @Test func `Opening it at the new place moves it with all that it has, and upgrades it`() throws {
        let plan = try CacheFile(at: new).plan(registry)
        #expect(plan.movesFrom == old.path && plan.from == 1 && plan.needsUpgrade)
        #expect("\(plan)".contains("opening first moves the file from \(old.path)"))
        let members = try JSONSerialization.jsonObject(with: JSONEncoder().encode(plan)) as? [String: Any]
        #expect(members?["movesFrom"] as? String == old.path)
        let dry = try CacheFile(at: new).dryRunAndWait(registry)
        #expect(dry.movedFrom == old.path && dry.applied.count == 1 && "\(dry)".contains("would be moved from"))
        #expect(exists(old) && !exists(new))

        let cache = try CodableCache(at: new, migrations: registry)
        #expect(!exists(old) && !exists(URL(fileURLWithPath: old.path + "-wal")))
        #expect(cache.report.applied.map(\.name) == ["email"])
        let copies = cache.report.copiesLeftBehind
        #expect(cache.report.movedFrom == old.path)
        #expect(try copies == CacheFile(at: old).backups() && copies.count == 1)
        #expect("\(cache.report)".contains("\nmoved from \(old.path), where its copies are still: people.molt.v0-"))
        #expect(try cache.quarantined().map(\.key) == ["eve"])
        cache.close()
        try Snapshot(of: new).expect(#"Person ada {"email":"a@c"}"#)
        #expect(try Snapshot(of: new).outcomes == "first ran, email ran")
        #expect(try StoreFile.damage(at: new).isEmpty)

        try CacheFile(at: new).restore(copies[0], fromAnotherStore: true)
        #expect(try CacheFile(at: new).version() == 0)
        // An older build has begun anew at the old place.
        try CodableCache(at: new, migrations: registry).close()
        try CodableCache(at: old).close()
        let again = try CodableCache(at: new, migrations: registry)
        defer { again.close() }
        #expect(again.report.isEmpty && exists(old))
        // It is named, and left alone.
        #expect(again.report.otherStores == [old.path] && "\(again.report)".contains("old place \(old.path)"))
        let report = try JSONSerialization.jsonObject(with: JSONEncoder().encode(again.report)) as? [String: Any]
        #expect(report?["otherStores"] as? [String] == [old.path])
        let later = try CacheFile(at: new).plan(registry)
        #expect(later.otherStores == [old.path] && !later.needsUpgrade && "\(later)".contains(old.path))
        #expect(try CacheFile(at: new).dryRunAndWait(registry).otherStores == [old.path])
        // What the older build has written can be imported.
        let stray = try CodableCache(at: old)
        try stray.set(1, forKey: "one")
        stray.close()
        try again.importAndWait(from: old)
        #expect(try again.value(Int.self, forKey: "one") == 1)
        #expect(try CacheFile(at: new).plan(registry).otherStores == [old.path])
    }

    @Test func `A move is made without any migration, and says what it is`() throws {
        let plan = try CacheFile(at: new).plan(moving)
        #expect(plan.movesFrom == old.path && plan.needsUpgrade && plan.pending.isEmpty && plan.from == plan.to)
        var configuration = MoltConfiguration()
        configuration.process = .helper()
        try fails(.needsMigration, says: "still at \(old.path)", "by another process") {
            try CodableCache(at: new, migrations: moving, configuration: configuration).close()
        }
        let monitor = MigrationMonitor()
        configuration = MoltConfiguration()
        configuration.monitor = monitor
        // It stands, whatever follows.
        configuration.isCancelled = { [path = new.path] in FileStatus.unfollowed(path) != nil }
        let cache = try CodableCache(at: new, migrations: moving, configuration: configuration)
        defer { cache.close() }
        #expect(cache.report.movedFrom == old.path && cache.report.entries.isEmpty && !cache.report.isEmpty)
        #expect(try !exists(old) && cache.keys() == ["ada"] && monitor.summary?.outcome == .upgraded)
        #expect(try Snapshot(of: new).outcomes == "first ran")
    }

    @Test func `Erasing names the backups at the old place, which keep the bytes`() throws {
        let copies = try CacheFile(at: old).backups()
        let erase = Migration(to: 4, "erase", .deleteType("Token", erasing: true))
        let cache = try CodableCache(at: new, migrations: Self.registry(from: old, to: new, erase))
        defer { cache.close() }
        #expect(try copies.count == 1 && #require(cache.report.erasure).copies == copies)
    }

    @Test func `A new store, one elsewhere, a suite, a document and an import are not concerned`() throws {
        let other = scratch.file("other.molt")
        for url in [other, old] {
            try CodableCache(at: url, migrations: registry).close()
            #expect(exists(old) && !exists(new))
        }
        let document = try DocumentUpgrade(registry).upgrade(
            Data(#"{"mail":"a@b"}"#.utf8),
            ofType: "Person",
            writtenAt: 0
        )
        #expect(String(decoding: document.content, as: UTF8.self) == #"{"email":"a@c"}"#)
        let suite = Molt.Suite("molt.moved.\(UUID().uuidString)")
        #expect(try suite.plan(registry).pending.isEmpty)
        try FileManager.default.removeItem(at: old)
        let fresh = try CodableCache(at: new, migrations: registry)
        defer { fresh.close() }
        #expect(fresh.report.isFresh && fresh.report.movedFrom == nil)
    }

    @Test func `A file that is open, newer, or left to another process stays where it is`() throws {
        let holder = try CodableCache(at: old, migrations: [Self.first])
        try fails(.busy, says: old.path, "is open in another process")
        holder.close()
        try fails(.needsMigration, says: "must be upgraded") { $0.process = .helper() }
        try fails(.needsMigration, says: old.path, "`storeMove`") {
            try CodableCache(reading: new, migrations: registry).close()
        }
        try fails(.cancelled) { $0.isCancelled = { true } }
        try CodableCache(at: old, migrations: [Self.first, Migration(to: 9, "newer")]).close()
        try fails(.superseded, says: "version 9")
        #expect(!exists(new))
    }

    @Test func `Two stores are an error that names both, and a new one without tables makes room`() throws {
        try FileManager.default.createDirectory(at: new.deletingLastPathComponent(), withIntermediateDirectories: true)
        let begin = { (migrations: MigrationRegistry) in
            let cache = try CodableCache(at: new, migrations: migrations)
            defer { cache.close() }
            try cache.set(1, forKey: "new")
        }
        let hidden = scratch.file("hidden")
        for isBornFresh in [false, true] {
            if isBornFresh { try FileManager.default.moveItem(at: old, to: hidden) }
            try begin(isBornFresh ? registry : [])
            if isBornFresh { try FileManager.default.moveItem(at: hidden, to: old) }
            try fails(.twoStores, says: old.path, new.path, "`storeMove`", "there is already data at")
            try fails(.twoStores) { _ = try CacheFile(at: new).plan(registry) }
            try fails(.twoStores) { _ = try CodableCache(reading: new, migrations: registry) }
            try FileManager.default.removeItem(at: new)
        }

        var impatient = MoltConfiguration()
        impatient.timeout = .milliseconds(20)
        for kind in ["empty", "blank", "without records", "born fresh"] {
            if kind != "empty" { try FileManager.default.removeItem(at: new) }
            switch kind {
            case "empty": try Data().write(to: new)
            case "blank": try SQLite(new).run(FileFormat.blank(pageSize: 8_192))
            case "without records": try CodableCache(at: new).close()
            default:
                try FileManager.default.moveItem(at: old, to: hidden)
                let holder = try CodableCache(at: new, migrations: registry)
                try FileManager.default.moveItem(at: hidden, to: old)
                let busy = try #require(throws: MoltError.self) {
                    try CodableCache(at: new, migrations: registry, configuration: impatient)
                }
                #expect(busy.code == .busy && busy.message.contains("The file at \(new.path) is open"))
                holder.close()
            }
            let image = try Data(contentsOf: old)
            try CodableCache(at: new, migrations: registry).close()
            try Snapshot(of: new).expect(#"Person ada {"email":"a@c"}"#)
            try image.write(to: old)
        }
    }

    @Test func `If the upgrade fails, the file is back at its old place, or the error says where it is`() throws {
        struct Stop: Error {}
        let failing = Self.registry(from: old, to: new, Migration(to: 4, "fails", .run { _ in throw Stop() }))
        let before = try Snapshot(of: old)
        var configuration = MoltConfiguration()
        configuration.backup = BackupPolicy()
        let open = { try CodableCache(at: new, migrations: failing, configuration: configuration) }
        let error = try #require(throws: MoltError.self) { try open() }
        #expect(error.code == .stepFailed && error.outcome == .rolledBack)
        #expect(try !exists(new) && Snapshot(of: old) == before && CacheFile(at: new).backups().isEmpty)
        #expect(try scratch.names().count == 2)
        configuration.isCancelled = { [path = new.path] in FileStatus.unfollowed(path) != nil }
        let stop = try #require(throws: MoltError.self) { try open() }
        #expect(stop.code == .cancelled && stop.outcome == .unchanged && exists(old) && !exists(new))

        // A file that was copied stays.
        var move = StoreMove(from: old.path, to: new.path)
        move.isCopied = true
        move.reach = { if $0 == "before the copy gets its name" { throw Stop() } }
        #expect(throws: Stop.self) { try move.run() }
        configuration.isCancelled = { false }
        let stays = try #require(throws: MoltError.self) { try open() }
        #expect(stays.outcome == nil && stays.message.contains("was moved from \(old.path) to \(new.path)"))
        #expect(!exists(old) && exists(new))
        let cache = try CodableCache(at: new, migrations: registry)
        defer { cache.close() }
        #expect(try cache.keys() == ["ada"])
    }

    @Test func `With a protection class, the file may stay in its place`() throws {
        let protecting = MigrationRegistry([Self.first]).storeMove(from: old, to: old, protection: .complete)
        let cache = try CodableCache(at: old, migrations: protecting)
        defer { cache.close() }
        #expect(try cache.report.isEmpty && cache.keys() == ["ada"])
    }

    @Test func `The mark of a file that went back, or was never moved, takes no store from its place`() throws {
        struct Stop: Error {}
        var move = StoreMove(from: old.path, to: new.path)
        move.reach = { if $0 == "before the file is renamed" { throw Stop() } }
        #expect(throws: Stop.self) { try move.run() }
        let failing = Self.registry(from: old, to: new, Migration(to: 4, "fails", .run { _ in throw Stop() }))
        #expect(throws: MoltError.self) { try CodableCache(at: new, migrations: failing) }
        #expect(try old.deletingLastPathComponent().resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true)
        let left = try FileManager.default.contentsOfDirectory(atPath: old.deletingLastPathComponent().path)
        #expect(left.count == 2 && left.allSatisfy { $0 == "people.molt" || $0.contains(".v0-") })
        // The release before the move opens it.
        let before = try CodableCache(at: old, migrations: [Self.first])
        #expect(try before.report.isEmpty && before.keys() == ["ada"])
        before.close()
        // A store at a place before that is named, and not replaced.
        let older = scratch.file("older.molt")
        let stray = try CodableCache(at: older)
        try stray.set(1, forKey: "one")
        stray.close()
        let cache = try CodableCache(
            at: new,
            migrations: MigrationRegistry([Self.first]).storeMove(from: older, to: old).storeMove(from: old, to: new)
        )
        defer { cache.close() }
        #expect(try cache.report.movedFrom == old.path && cache.keys() == ["ada"])
        #expect(exists(older) && cache.report.otherStores == [older.path])
    }

    @Test func `Once its upgrade is committed, the file stays, whatever follows`() throws {
        struct Stop: Error {}
        var configuration = MoltConfiguration()
        configuration.hooks.atPoint = { if $0.kind == .afterCommit { throw Stop() } }
        #expect(throws: Stop.self) { try CodableCache(at: new, migrations: registry, configuration: configuration) }
        #expect(!exists(old) && exists(new))
        let cache = try CodableCache(at: new, migrations: registry)
        defer { cache.close() }
        #expect(cache.report.isEmpty)
    }

    @Test func `A condition that does not hold keeps the file in its place`() throws {
        let asking = Self.registry(
            from: old,
            to: new,
            Migration(to: 4, "asks").requirement(orElse: "Nobody is here.") { try $0.count(ofType: "Person") > 7 }
        )
        var configuration = MoltConfiguration()
        configuration.hooks.atPoint = { #expect($0.kind != .moveStore) }
        try fails(.requirementUnmet, says: "Nobody is here.") {
            try CodableCache(at: new, migrations: asking, configuration: configuration).close()
        }
    }

    @Test(arguments: ["-wal", "-journal"], [false, true])
    func `What is left of another file at the new place is not applied to the store`(suffix: String, isCopied: Bool)
        throws
    {
        try FileManager.default.createDirectory(at: new.deletingLastPathComponent(), withIntermediateDirectories: true)
        let left = URL(fileURLWithPath: new.path + suffix)
        try Data("left".utf8).write(to: left)
        var move = StoreMove(from: old.path, to: new.path)
        move.isCopied = isCopied
        try fails(.notADatabase, says: left.path) { try move.run() }
        try fails(.notADatabase, says: left.path) { try CodableCache(at: new, migrations: registry).close() }
        // An empty one has nothing.
        try Data().write(to: left)
        try move.run()
        #expect(exists(new) && !exists(old) && !exists(left))
    }

    @Test func `An extension does not begin anew where a store is moved to`() throws {
        try FileManager.default.removeItem(at: old)
        try fails(.needsMigration, says: new.path, "in the app first") { $0.process = .tool }
        #expect(!exists(new))
        var configuration = MoltConfiguration()
        configuration.process = .tool
        let cache = try CodableCache(at: new, migrations: [Self.first], configuration: configuration)
        defer { cache.close() }
        #expect(cache.report.isFresh)
    }

    @Test func `A place is the same through a link, also before its directory exists`() throws {
        let link = scratch.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: scratch.url)
        let through = link.appending(path: "Group/Library/contacts.molt")
        let cache = try CodableCache(at: through, migrations: registry)
        defer { cache.close() }
        #expect(try cache.keys() == ["ada"] && !exists(old))
    }

    @Test func `A store that was moved looks at the old place no more, whatever became of its migrations`() throws {
        let stale = try Data(contentsOf: old)
        try CodableCache(at: new, migrations: registry).close()
        for file in [stale, Data(), Data("no database".utf8)] {
            try file.write(to: old)
            let squashed: MigrationRegistry = [
                Migration(
                    to: 3,
                    "all",
                    replacing: ["first", "email"],
                    .renameProperty("Person", "mail", to: "email")
                )
            ]
            let cache = try CodableCache(at: new, migrations: squashed.storeMove(from: old, to: new))
            defer { cache.close() }
            #expect(try cache.report.movedFrom == nil && cache.keys() == ["ada"])
            #expect(try Data(contentsOf: old) == file && cache.report.otherStores == [old.path])
        }
    }

    @Test func `A move that follows a copy ends both, and the first place keeps no sealed file`() throws {
        struct Stop: Error {}
        try copyUntil("before the old file is removed")
        let third = scratch.file("third.molt")
        let both = Self.registry(from: old, to: new).storeMove(from: new, to: third)
        let failing = MigrationRegistry(both.migrations + [Migration(to: 4, "fails", .run { _ in throw Stop() })])
            .storeMove(from: old, to: new).storeMove(from: new, to: third)
        #expect(throws: MoltError.self) { try CodableCache(at: third, migrations: failing) }
        #expect(exists(new) && !exists(third))
        let cache = try CodableCache(at: third, migrations: both)
        defer { cache.close() }
        #expect(try cache.keys() == ["ada"] && cache.report.movedFrom == new.path)
        #expect(cache.report.otherStores.isEmpty && !exists(old) && !exists(new))
    }

    @Test func `A restored backup keeps the origin of the file that it replaces, not its own`() throws {
        var configuration = MoltConfiguration()
        configuration.backup = BackupPolicy()
        try CodableCache(at: new, migrations: registry, configuration: configuration).close()
        let backup = try #require(try CacheFile(at: new).backups().first)
        try FileManager.default.removeItem(at: new)
        try CodableCache(at: old, migrations: [Self.first]).close()
        try copyUntil("before the old file is removed")
        try CacheFile(at: new).restore(backup)
        let cache = try CodableCache(at: new, migrations: registry)
        defer { cache.close() }
        #expect(try cache.keys() == ["ada"] && cache.report.otherStores.isEmpty && !exists(old))
    }

    /// Copies the store to its new place as to another volume, and stops at a point.
    private func copyUntil(_ point: String) throws {
        struct Stop: Error {}
        var move = StoreMove(from: old.path, to: new.path)
        move.isCopied = true
        move.reach = { if $0 == point { throw Stop() } }
        #expect(throws: Stop.self) { try move.run() }
    }

    @Test func `A file that another process moves back during the opening is moved again`() throws {
        let isMovedBack = Locked(false)
        let monitor = MigrationMonitor { [old, new] event in
            guard case .planned(let plan) = event, plan.movesFrom == nil else { return }
            isMovedBack.withLock { isMovedBack in
                if !isMovedBack { rename(new.path, old.path) }
                isMovedBack = true
            }
        }
        var configuration = MoltConfiguration()
        configuration.monitor = monitor
        let cache = try CodableCache(at: new, migrations: registry, configuration: configuration)
        defer { cache.close() }
        #expect(try cache.keys() == ["ada"] && cache.report.applied.map(\.name) == ["email"])
        #expect(!exists(old) && exists(new))
    }

    @Test func `The file at the old place is in each plan of an opening that works on a suite, too`() throws {
        try CodableCache(at: new, migrations: moving).close()
        try CodableCache(at: old).close()
        let notebook = try Notebook()
        let plans = Log<MigrationPlan>()
        let monitor = MigrationMonitor { if case .planned(let plan) = $0 { plans.append(plan) } }
        var configuration = MoltConfiguration()
        configuration.monitor = monitor
        let settings = Self.registry(from: old, to: new, notebook.adding("line", to: 4))
        let cache = try CodableCache(at: new, migrations: settings, configuration: configuration)
        defer { cache.close() }
        #expect(plans.all.map(\.otherStores) == [[old.path]] && cache.report.otherStores == [old.path])
    }

    @Test func `A stop after which the file cannot go back does not claim that nothing was changed`() throws {
        let isStopped = Locked(false)
        var configuration = MoltConfiguration()
        configuration.isCancelled = { isStopped.withLock { $0 } }
        configuration.hooks.atPoint = { [old] in
            guard $0.kind == .writeLedger else { return }
            try Data().write(to: old)
            isStopped.withLock { $0 = true }
        }
        let error = try #require(throws: MoltError.self) {
            try CodableCache(at: new, migrations: registry, configuration: configuration)
        }
        #expect(error.code == .cancelled && error.outcome == nil && error.message.contains("was moved from"))
        #expect(exists(new))
    }

    @Test func `A copy to another volume can be cancelled, and leaves nothing`() throws {
        struct Stop: Error {}
        let cache = try CodableCache(at: old, migrations: [Self.first])
        try cache.set(String(repeating: "x", count: 1_000_000), forKey: "large")
        cache.close()
        var move = StoreMove(from: old.path, to: new.path)
        move.isCopied = true
        move.checking = { throw Stop() }
        #expect(throws: Stop.self) { try move.run() }
        let left = try FileManager.default.contentsOfDirectory(atPath: new.deletingLastPathComponent().path)
        #expect(try left.isEmpty && StoreFile.state(at: old).version == 1)
    }

    @Test func `Errors name the place that they are about, and its lock`() throws {
        let directory = new.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let lock = try FileLock(directory: directory.path) {}
        try fails(.busy, says: "moving a store into the directory of \(new.path)")
        _ = consume lock
        // A user that may do everything is refused nothing.
        guard getuid() != 0 else { return }
        let places = (old.deletingLastPathComponent(), directory)
        for (place, path) in [(places.0, old.path), (places.1, new.path)] {
            chmod(place.path, 0o500)
            defer { chmod(place.path, 0o700) }
            try fails(.noPermission, says: path) { try StoreMove(from: old.path, to: new.path).run() }
        }
    }

    @Test func `The summary of an opening and of a dry run have the size of the file that is moved`() throws {
        let size = try #require(StoreFile(at: old).byteCount)
        for isDry in [true, false] {
            let monitor = MigrationMonitor()
            var configuration = MoltConfiguration()
            configuration.monitor = monitor
            if isDry {
                _ = try CacheFile(at: new).dryRunAndWait(registry, configuration: configuration)
            } else {
                try CodableCache(at: new, migrations: registry, configuration: configuration).close()
            }
            #expect(monitor.summary?.storeSize == size)
        }
    }

    @Test(arguments: [false, true]) func `A later move goes on from wherever the file is`(isByWay: Bool) throws {
        let third = scratch.file("third.molt")
        let both = Self.registry(from: old, to: isByWay ? new : third).storeMove(from: new, to: third)
        let stale = try Data(contentsOf: old)
        try CodableCache(at: new, migrations: registry).close()
        // An old build's file counts no more.
        try stale.write(to: old)
        let cache = try CodableCache(at: third, migrations: both)
        #expect(cache.report.movedFrom == new.path && exists(old) && !exists(new))
        cache.close()
        try FileManager.default.removeItem(at: third)
        let direct = try CodableCache(at: third, migrations: both)
        defer { direct.close() }
        #expect(direct.report.movedFrom == old.path && direct.report.applied.map(\.name) == ["email"])
    }

    @Test func `On another volume, the old file is sealed until it is removed`() throws {
        struct Stop: Error {}
        for last in [
            "before the old file is sealed", "before the copy gets its name", "before the old file is removed",
        ] {
            let image = try Data(contentsOf: old)
            var move = StoreMove(from: old.path, to: new.path)
            move.isCopied = true
            move.reach = { if $0 == last { throw Stop() } }
            #expect(throws: Stop.self) { try move.run() }
            if last != "before the old file is sealed" {
                let error = #expect(throws: MoltError.self) { try CodableCache(at: old) }
                #expect(error?.code == .newerFormat)
            }
            let cache = try CodableCache(at: new, migrations: registry)
            #expect(!exists(old) && cache.report.movedFrom == old.path && cache.report.applied.count == 1)
            #expect(try cache.keys() == ["ada"] && cache.quarantined().count == 1)
            cache.close()
            try FileManager.default.removeItem(at: new)
            try image.write(to: old)
        }
        let volume = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
        guard FileManager.default.isWritableFile(atPath: volume.path) else { return }
        let away = try ScratchDirectory(in: volume)
        let cache = try CodableCache(at: away.file(), migrations: Self.registry(from: old, to: away.file()))
        defer { cache.close() }
        #expect(try !exists(old) && cache.keys() == ["ada"])
        #expect(try away.names().allSatisfy { $0.hasPrefix("cache.molt") && !$0.hasSuffix(".part") })
    }
}
