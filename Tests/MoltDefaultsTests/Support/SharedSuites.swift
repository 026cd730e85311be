import Foundation
import TestHome
import Testing

@testable import Molt

/// Two suites that two caches and a widget without one upgrade, each in a process of its own.
///
/// Every change would show if it were made twice, or not at all.
struct SharedSuites: Codable, Sendable {
    enum Store: String, Codable, Sendable {
        case cache, otherCache, widget
    }

    private let directory: URL
    private let names: [String]

    init() throws {
        names = [TestHome.newSuiteName(), TestHome.newSuiteName()]
        directory = try TestHome.directory.appendingPathComponent("shared-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    func remove() {
        for name in names { Suite(name).erase() }
        try? FileManager.default.removeItem(at: directory)
    }

    private var old: Suite { Suite(names[0]) }
    private var group: Suite { Suite(names[1]) }

    private var migrations: MigrationRegistry {
        let (old, group) = (old, group)
        return [
            Migration(to: 1, "smaller", .settings(in: old) { try Self.halve("size", in: $0) }),
            .suiteToAppGroup(to: 2, from: old, into: group),
            Migration(to: 3, "smaller again", .settings(in: group) { try Self.halve("size", in: $0) }),
        ]
    }

    private static func halve(_ key: String, in settings: SuiteEditor) throws {
        guard case .double(let size)? = try settings.value(forKey: key) else { return }
        try settings.set(.double(size / 2), forKey: key)
    }

    /// Writes the settings of an earlier release, and caches from before any migration.
    func prepare() throws {
        try old.update(set: ["size": 16.0, "name": "n"])
        for store in [Store.cache, .otherCache] { try CodableCache(at: url(store)).close() }
    }

    /// Removes everything but the recorded points.
    func reset() throws {
        let points = try Data(contentsOf: pointsFile)
        remove()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try points.write(to: pointsFile)
    }

    private func url(_ store: Store) -> URL { directory.appendingPathComponent("\(store.rawValue).molt") }

    func upgrade(_ store: Store, _ hook: UpgradeHook? = nil) throws {
        switch store {
        case .cache, .otherCache:
            var configuration = CodableCache.Configuration()
            configuration.hooks.atPoint = hook
            try CodableCache(at: url(store), migrations: migrations, configuration: configuration).close()
        case .widget:
            var configuration = MoltConfiguration()
            configuration.hooks.atPoint = hook
            try old.upgrade(with: migrations, configuration: configuration)
        }
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

    // MARK: Points

    private var pointsFile: URL { directory.appendingPathComponent("points") }

    func recordPoints(of store: Store) throws {
        let points = Locked<[String]>([])
        try upgrade(store) { point in points.withLock { $0.append(point.description) } }
        try JSONEncoder().encode(points.withLock { $0 }).write(to: pointsFile)
    }

    var points: [String] {
        get throws { try JSONDecoder().decode([String].self, from: Data(contentsOf: pointsFile)) }
    }

    // MARK: The result

    func expectEachChangeOnce() throws {
        #expect(try old.values() == ["size": 8.0, "name": "n"])
        #expect(try group.values() == ["size": 4.0, "name": "n"])
        #expect(
            try old.history().map(\.name).filter { $0 != "suite-to-app-group" && $0 != "smaller again" } == ["smaller"]
        )
        #expect(try group.history().map(\.name) == ["suite-to-app-group", "smaller again"])
    }
}
