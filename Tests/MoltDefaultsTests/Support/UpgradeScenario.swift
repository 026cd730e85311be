import FaultyDisk
import Foundation
import TestHome
import Testing

@testable import Molt

/// An upgrade of suites that any process can run, with a cache or the first suite as its primary store.
struct UpgradeScenario: Codable, Sendable {
    /// The state after an upgrade; two upgrades with the same registry give equal outcomes.
    struct Outcome: Equatable, Codable {
        var version: Int
        var ledger: [String]
        var journal: [String]
        var settings: [[String: PropertyListValue]]
        /// The names of the migrations in each suite's ledger.
        var histories: [[String]]
    }

    var primary: PrimaryStore
    /// The names of the suites: one suite, or two where settings move from one to the other.
    let names: [String]
    /// The number of settings in the suites.
    let count: Int
    private let directory: URL

    init(_ primary: PrimaryStore, suites: Int, count: Int = 3) throws {
        self.primary = primary
        self.count = count
        names = (0..<suites).map { _ in TestHome.newSuiteName() }
        directory = try TestHome.directory.appendingPathComponent("scenario-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// Removes all of the scenario's files.
    func remove() {
        try? removeFiles()
        try? FileManager.default.removeItem(at: directory)
    }

    var suites: [Suite] { names.map { Suite($0) } }
    private var cache: URL { directory.appendingPathComponent("cache.molt") }

    // MARK: Running

    /// Writes the settings of an earlier release.
    func prepare() throws {
        for (index, suite) in suites.enumerated() {
            var values: [String: PropertyListValue] = ["both": .string("of suite \(index)")]
            for number in 0..<count { values["\(index) \(number)"] = .int(Int64(number)) }
            if index == 0 {
                values["removed"] = true
                values["old"] = ["a", ["b": 1]]
            }
            try suite.update(set: values)
        }
        if primary == .cache { try CodableCache(at: cache).close() }
    }

    private var registry: MigrationRegistry {
        let (suites, count) = (suites, count)
        var migrations = [
            Migration(
                to: 1,
                "change",
                .settings(in: suites[0]) { settings in
                    try note("x", in: "runs")
                    try settings.set("changed", forKey: "both")
                    for number in 0..<count {
                        try settings.set(.string("changed \(number)"), forKey: "0 \(number)")
                        try settings.set(.int(Int64(number)), forKey: "new \(number)")
                    }
                },
                .removeKeys("removed", in: suites[0]),
                .renameKey("old", to: "renamed", in: suites[0])
            )
        ]
        if suites.count > 1 {
            migrations.append(.suiteToAppGroup(to: 2, from: suites[0], into: suites[1], afterwards: .clean))
            migrations.append(Migration(to: 3, "behind", .renameKey("renamed", to: "moved", in: suites[1])))
        }
        migrations.append(
            Migration(to: 4, "a disk call before the commit", .run(onFreshStore: true) { _ in molt_disk_call() })
        )
        return MigrationRegistry(migrations)
    }

    /// Opens the primary store, which upgrades it, and closes it.
    func upgrade() throws {
        try primary.upgrade(suites[0], cache: cache, with: registry)
    }

    /// The current state, read without opening anything for writing.
    func outcome() throws -> Outcome {
        let state = try primary.state(of: suites[0], cache: cache)
        return Outcome(
            version: state.version,
            ledger: state.ledger.map { "\($0.name) \($0.outcome) \($0.attachedCounts.sorted { $0.key < $1.key })" },
            journal: state.journal,
            settings: try names.map { try ScratchSuite(named: $0).values },
            histories: try names.map { try ScratchSuite(named: $0).history }
        )
    }

    // MARK: Messages between processes

    /// Appends a line to a file.
    private func note(_ line: String, in name: String) throws {
        let bytes = Array("\(line)\n".utf8)
        let file = open(directory.appendingPathComponent(name).path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        guard write(file, bytes, bytes.count) == bytes.count else { throw CocoaError(.fileWriteUnknown) }
    }

    /// The number of times each line was appended.
    private func notes(in name: String) throws -> [String: Int] {
        let text = try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)
        return Dictionary(text.split(separator: "\n").map { (String($0), 1) }) { $0 + $1 }
    }

    /// The number of times the first step ran.
    var runs: Int {
        get throws { try notes(in: "runs").values.reduce(0, +) }
    }

    /// The number of kills before the commit, between it and the journal's end, and after that.
    var kills: [String: Int] {
        get throws { try notes(in: "kills") }
    }

    /// Stores a value for another process.
    func keep(_ value: some Encodable, as name: String) throws {
        try JSONEncoder().encode(value).write(to: directory.appendingPathComponent(name))
    }

    /// A value that another process stored.
    func kept<Value: Decodable>(_ name: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(contentsOf: directory.appendingPathComponent(name)))
    }

    // MARK: After a kill

    enum Damage: String, Codable, CaseIterable, Sendable {
        case none
        case empty
        case half
    }

    /// Checks that a kill left nothing or everything promised, and that the next opening ends like an upgrade
    /// without a kill, even if the suites' files are truncated before it.
    ///
    /// - Parameter damages: The damage done before each opening.
    func expectFinishing(_ damages: [Damage]) throws {
        let (before, after): (Outcome, Outcome) = try (kept("before"), kept("after"))
        let left = try outcome()
        if left.version == before.version { #expect(left == before) }
        let isPending = !left.journal.isEmpty
        try note(isPending ? "committed" : left.version == before.version ? "before" : "over", in: "kills")
        let image = try image()
        for damage in damages {
            try restore(image)
            if isPending { try cutOff(damage) }
            try upgrade()
            #expect(try outcome() == after, "\(damage)")
            // A kill after the last change may leave a file without changes, until the next upgrade.
            guard isPending || left.version == before.version else { continue }
            let files = try otherFiles()
            #expect(files.allSatisfy { $0.hasSuffix(".molt-lock") }, "\(files)")
        }
    }

    // MARK: Files

    /// The contents of the scenario's files.
    func image() throws -> [URL: Data] {
        let home = try TestHome.directory
        var files = names.flatMap { name in
            ["\(name).plist", "\(name).molt", "\(name).molt-wal"].map { home.appendingPathComponent($0) }
        }
        files += [cache, URL(fileURLWithPath: cache.path + "-wal")]
        return Dictionary(
            uniqueKeysWithValues: files.compactMap { file in (try? Data(contentsOf: file)).map { (file, $0) } }
        )
    }

    /// Restores the contents of the files, as a process finds them that was just started.
    func restore(_ image: [URL: Data]) throws {
        try removeFiles()
        for (file, bytes) in image { try bytes.write(to: file) }
        // The library forgets what it has read.
        for name in names { UserDefaults(suiteName: name)?.synchronize() }
    }

    private func removeFiles() throws {
        for name in try otherFiles() + names.map({ "\($0).plist" }) {
            try? FileManager.default.removeItem(at: TestHome.directory.appendingPathComponent(name))
        }
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: cache.path + suffix)
        }
    }

    /// The names of other files beside the suites' files.
    func otherFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: TestHome.directory.path).filter { file in
            names.contains { file.contains($0) && file != "\($0).plist" }
        }
    }

    /// Truncates the suites' files, as a kill during the library's own write does.
    private func cutOff(_ damage: Damage) throws {
        for name in names where damage != .none {
            let file = try TestHome.directory.appendingPathComponent("\(name).plist")
            guard let bytes = try? Data(contentsOf: file) else { continue }
            try ScratchSuite(named: name).writeFile(damage == .half ? bytes.prefix(bytes.count / 2) : Data())
        }
    }
}
