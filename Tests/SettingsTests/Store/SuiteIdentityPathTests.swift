import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// Releases of an app, each with one migration more, open a cache, another cache or the suite alone; between any two
/// openings, something else may change the suite.
///
/// The setting holds the version of its form, and a migration that meets another form than the one before its own
/// fails.
@Suite(.enabled(if: TestHome.isAvailable)) struct `A suite that something changes between any two openings` {
    private struct WrongForm: Error {}

    private final class Device {
        let scratch: ScratchSuite
        let directory: ScratchDirectory
        var release = 1
        /// Copies of the suite's file, each with the ledger that it had.
        var copies: [Data] = []
        /// The ledgers of another device, by release.
        let foreignLedgers: [PropertyListValue]
        var actions: [String] = []

        init() throws {
            scratch = try ScratchSuite(["form": 0])
            directory = try ScratchDirectory()
            let other = try ScratchSuite(["form": 0])
            foreignLedgers = try (1...4).map { release in
                try other.suite.upgrade(with: Self.registry(release, other.suite))
                return try #require(try other.allValues[Suite.ledgerKey])
            }
        }

        static func registry(_ release: Int, _ suite: Suite) -> MigrationRegistry {
            MigrationRegistry(
                (1...release).map { version in
                    Migration(
                        to: version,
                        "form \(version)",
                        .changeSettings(in: suite) { settings in
                            guard let form = try settings.value(forKey: "form")?.int else { return }
                            guard form == version - 1 else { throw WrongForm() }
                            try settings.set(.int(Int64(version)), forKey: "form")
                        }
                    )
                }
            )
        }

        func open(_ store: Int) throws {
            actions.append("open \(store) in release \(release)")
            let registry = Self.registry(release, scratch.suite)
            let configuration = MoltConfiguration { $0.mismatches = .ignore }
            if store == 0 {
                try scratch.suite.upgrade(with: registry, configuration: configuration)
            } else {
                let url = directory.file("\(store).molt")
                try CodableCache(at: url, migrations: registry, configuration: configuration).close()
            }
            if let form = try scratch.values["form"] { #expect(form == .int(Int64(release)), "\(actions)") }
            if try scratch.allValues[Suite.ledgerKey] != nil {
                copies.append(try scratch.bytes)
            }
        }

        func write() throws {
            actions.append("write")
            try scratch.defaults.set(release, forKey: "form")
            try scratch.suite.synchronize()
        }

        func empty() throws {
            actions.append("empty")
            let defaults = try scratch.defaults
            defaults.removePersistentDomain(forName: scratch.name)
            defaults.synchronize()
        }
    }

    @Test(arguments: 0..<UInt64(TestRun.isLong ? 1_000 : 20))
    func `is in the form of the release that opens it`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let device = try Device()
        do {
            try device.open(random.below(3))
            for _ in 0..<14 {
                switch random.below(9) {
                case 0: try device.write()
                case 1: try device.empty()
                case 2:
                    try device.empty()
                    try device.write()
                case 3 where !device.copies.isEmpty:
                    device.actions.append("put back a copy")
                    try device.scratch.writeFile(random.pick(device.copies))
                    try device.open(random.below(3))
                case 4:
                    let release = 1 + random.below(4)
                    // The settings of a newer device would have come with its ledger.
                    guard release <= device.release else { continue }
                    device.actions.append("get the ledger of release \(release)")
                    try device.write()
                    try device.scratch.defaults.set(device.foreignLedgers[release - 1].object, forKey: Suite.ledgerKey)
                    try device.scratch.suite.synchronize()
                case 5 where device.release < 4:
                    device.release += 1
                    try device.open(random.below(3))
                default: try device.open(random.below(3))
                }
            }
            try device.open(random.below(3))
        } catch {
            Issue.record(error, "seed \(seed): \(device.actions)")
        }
    }
}
