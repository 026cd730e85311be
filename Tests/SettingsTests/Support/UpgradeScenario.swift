import FaultyDisk
import Foundation
import Molt
import Testing

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
    /// One suite, or two where settings move from one to the other.
    let files: SharedFiles
    /// The number of settings in the suites.
    let count: Int

    init(_ primary: PrimaryStore, suites: Int, count: Int = 3) throws {
        self.primary = primary
        self.count = count
        files = try SharedFiles(suites: suites)
    }

    private var suites: [Suite] { files.suites }

    // MARK: Running

    /// Writes the settings of an earlier release, and keeps an image and the state of them.
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
        if primary == .cache { try CodableCache(at: files.cache()).close() }
        try files.keep(files.image(), as: "image")
        try files.keep(outcome(), as: "before")
    }

    private var registry: MigrationRegistry {
        let (files, suites, count) = (files, suites, count)
        var migrations = [
            Migration(
                to: 1,
                "change",
                .changeSettings(in: suites[0]) { settings in
                    try files.note("x", in: "runs")
                    try settings.set("changed", forKey: "both")
                    for number in 0..<count {
                        try settings.set(.string("changed \(number)"), forKey: "0 \(number)")
                        try settings.set(.int(Int64(number)), forKey: "new \(number)")
                    }
                },
                .removeSettings("removed", in: suites[0]),
                .renameSetting("old", to: "renamed", in: suites[0])
            )
        ]
        if suites.count > 1 {
            migrations.append(.suiteToAppGroup(to: 2, from: suites[0], into: suites[1], removingSource: true))
            migrations.append(Migration(to: 3, "behind", .renameSetting("renamed", to: "moved", in: suites[1])))
        }
        migrations.append(
            Migration(to: 4, "a disk call before the commit", .run(onFreshStore: true) { _ in molt_disk_call() })
        )
        return MigrationRegistry(migrations)
    }

    /// Opens the primary store, which upgrades it, and closes it.
    func upgrade(_ hook: UpgradeHook? = nil) throws {
        try primary.upgrade(suites[0], cache: files.cache(), with: registry, hook)
    }

    /// Upgrades, and keeps the state after it and the numbers of disk calls until the commit and until the end.
    func measure() throws {
        let (committed, atCommit) = (UpgradePoint(.afterCommit, "of the upgrade"), Locked(0))
        molt_kill_before_call(0)
        try upgrade { point in
            if point == committed { atCommit.withLock { $0 = molt_disk_calls() } }
        }
        try files.keep([atCommit.withLock { $0 }, molt_disk_calls()], as: "calls")
        try files.keep(outcome(), as: "after")
    }

    /// The current state, read without opening anything for writing.
    func outcome() throws -> Outcome {
        let state = try primary.state(of: suites[0], cache: files.cache())
        return Outcome(
            version: state.version,
            ledger: state.ledger.map { "\($0.name) \($0.outcome) \($0.attachedCounts.sorted { $0.key < $1.key })" },
            journal: state.journal,
            settings: try suites.map { try $0.values() },
            histories: try suites.map { try $0.history().map(\.name) }
        )
    }

    /// Checks the result for two suites.
    func expectUpgraded() throws {
        let outcome = try outcome()
        #expect(outcome.version == 4)
        #expect(outcome.journal.isEmpty)
        var moved: [String: PropertyListValue] = ["both": "of suite 1", "moved": ["a", ["b": 1]]]
        for number in 0..<count {
            moved["0 \(number)"] = .string("changed \(number)")
            moved["new \(number)"] = .int(Int64(number))
            moved["1 \(number)"] = .int(Int64(number))
        }
        #expect(outcome.settings == [["both": "changed"], moved])
    }

    /// The number of times the first step ran.
    var runs: Int {
        get throws { try files.notes(in: "runs").values.reduce(0, +) }
    }

    // MARK: After a kill

    /// Checks that each kill left nothing or everything promised, and that the next opening ends like an upgrade
    /// without a kill, even if the suites' files are truncated before it.
    ///
    /// - Returns: The number of kills before the commit, between it and the journal's end, and after that.
    func expectFinishing() throws -> [String: Int] {
        let (before, after): (Outcome, Outcome) = try (files.kept("before"), files.kept("after"))
        let images: [SharedFiles.Image] = try files.kept("kills")
        var kills: [String: Int] = [:]
        for (index, image) in images.enumerated() {
            try files.restore(image)
            let left = try outcome()
            if left.version == before.version { #expect(left == before, "kill \(index)") }
            let isPending = !left.journal.isEmpty
            kills[isPending ? "committed" : left.version == before.version ? "before" : "over", default: 0] += 1
            for damage in SuiteDamage.allCases {
                try files.restore(image)
                if isPending { try files.names.forEach(damage.happen) }
                try upgrade()
                #expect(try outcome() == after, "\(damage) after kill \(index)")
                // A kill after the last change may leave a file without changes, until the next upgrade.
                guard isPending || left.version == before.version else { continue }
                let others = try files.otherFiles()
                #expect(others.allSatisfy { $0.hasSuffix(".molt-lock") || $0.hasSuffix(".molt-ledger") }, "\(others)")
            }
        }
        return kills
    }
}
