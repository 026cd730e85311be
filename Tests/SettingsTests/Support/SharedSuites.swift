import Foundation
import Molt
import TestSupport
import Testing

/// Two suites that two caches and a widget without one upgrade, each in a process of its own.
///
/// Every change would show if it were made twice, or not at all.
struct SharedSuites: Codable, Sendable {
    enum Store: String, Codable, Sendable {
        case cache, otherCache, widget
    }

    let files: SharedFiles

    init() throws {
        files = try SharedFiles(suites: 2)
    }

    private var migrations: MigrationRegistry {
        let (old, group) = (files.suites[0], files.suites[1])
        return [
            Migration(to: 1, "smaller", .changeSettings(in: old) { try Self.halve("size", in: $0) }),
            .suiteToAppGroup(to: 2, from: old, into: group),
            Migration(to: 3, "smaller again", .changeSettings(in: group) { try Self.halve("size", in: $0) }),
            Migration(to: 4, "draft", .moveToRecords(.setting("draft", in: group), ofType: "Draft")),
        ]
    }

    private static func halve(_ key: String, in settings: SuiteEditor) throws {
        guard case .double(let size)? = try settings.value(forKey: key) else { return }
        try settings.set(.double(size / 2), forKey: key)
    }

    private func url(_ store: Store) -> URL { files.cache(store.rawValue) }

    /// Writes the settings of an earlier release, and caches from before any migration, and keeps an image of them.
    func prepare() throws {
        try files.suites[0].update(set: ["size": 16.0, "name": "n"])
        try files.suites[1].update(set: ["draft": ["title": "text"]])
        for store in [Store.cache, .otherCache] { try CodableCache(at: url(store)).close() }
        try files.keep(files.image(), as: "before")
    }

    func upgrade(_ store: Store, _ hook: UpgradeHook? = nil) throws {
        let primary: PrimaryStore = store == .widget ? .suite : .cache
        try primary.upgrade(files.suites[0], cache: url(store), with: migrations, hook)
    }

    /// Upgrades, and keeps the points of the upgrade.
    func recordPoints(of store: Store) throws {
        let points = Locked<[UpgradePoint]>([])
        try upgrade(store) { point in points.withLock { $0.append(point) } }
        try files.keep(points.withLock { $0 }, as: "points")
    }

    func upgrade(_ store: Store, killedAt point: Int) throws {
        let count = Locked(0)
        try upgrade(store) { _ in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            if number == point { kill(getpid(), SIGKILL) }
        }
    }

    /// Checks that the other stores, and the one that was killed, finish what each kill has left.
    ///
    /// A kill in the library's own write also truncates the suites' files.
    func expectFinishing(_ first: Store, _ others: [Store], isLong: Bool) throws {
        let kills: [String: SharedFiles.Image] = try files.kept("kills")
        var isDamaged = false
        for (point, image) in kills.sorted(by: { $0.key < $1.key }) {
            for other in others {
                try files.restore(image)
                let isPending = try !state(of: first).journal.isEmpty
                for store in [other, first, other] {
                    try upgrade(store)
                    try expectEachChangeOnce("\(store) after a kill at \(point) of \(first)")
                }
                // The library waits for another process to complete a file.
                guard isPending, isLong || !isDamaged else { continue }
                isDamaged = true
                for damage in isLong ? [SuiteDamage.empty, .half] : [.empty] {
                    try files.restore(image)
                    try files.names.forEach(damage.happen)
                    MoltError.thrown { try upgrade(other) }?.expect(.settingUnreadable)
                    for store in [first, other] {
                        try upgrade(store)
                        try expectEachChangeOnce("\(store) with \(damage) files after a kill at \(point) of \(first)")
                    }
                }
            }
        }
        #expect(isDamaged)
    }

    private func state(of store: Store) throws -> StoreState {
        let primary: PrimaryStore = store == .widget ? .suite : .cache
        return try primary.state(of: files.suites[0], cache: url(store))
    }

    private func expectEachChangeOnce(_ comment: Comment) throws {
        let (old, group) = (files.suites[0], files.suites[1])
        #expect(try old.values() == ["size": 8.0, "name": "n"], comment)
        let moves = ["suite-to-app-group", "smaller again", "draft"]
        #expect(try applied(to: old).filter { !moves.contains($0) } == ["smaller"], comment)
        var settings = try group.values()
        var history = try applied(to: group)
        // The widget leaves it to the caches. The one that has committed the record may still have to remove it.
        let hasMoved = history.last == "draft"
        if hasMoved { history.removeLast() }
        if settings.removeValue(forKey: "draft") == nil { #expect(hasMoved, comment) }
        #expect(settings == ["size": 4.0, "name": "n"], comment)
        #expect(history == ["suite-to-app-group", "smaller again"], comment)
        let drafts = try [Store.cache, .otherCache].flatMap { try StoreFile.contents(at: url($0)).records }
        #expect(drafts.count == (hasMoved ? 1 : 0), comment)
    }

    private func applied(to suite: Suite) throws -> [String] {
        try suite.history().filter(\.outcome.isApplied).map(\.name)
    }
}
