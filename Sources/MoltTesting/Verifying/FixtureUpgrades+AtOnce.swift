internal import Foundation
internal import Molt

extension FixtureUpgrades {
    /// Upgrades a copy directly to a version, by every entry point.
    mutating func upgrade(to target: Int) async throws {
        let registry = migrations.upTo(version: target)
        var reference: (entry: EntryPoint, result: StoreFixture)?
        var thrown: [(entry: String, text: String)] = []
        var opened = 0
        for entry in EntryPoint.all(for: fixture.primary) {
            let store = try TemporaryStore(fixture)
            var dry: MigrationReport?
            if entry == .open || entry == .suite {
                do {
                    dry = try dryRun(store, registry, target)
                } catch {
                    thrown.append(("dry run", UpgradeText.of(error)))
                }
                opened += 1
            }
            do {
                upgrades += 1
                let report = try await store.upgrade(through: registry, by: entry, configuration: configuration)
                let result = try store.contents(after: entry)
                if let dry { compare(dry, report, target) }
                if let reference {
                    let difference = StoreDifference(
                        expected: reference.result,
                        found: result,
                        aspects: .fingerprints
                    )
                    let text = "the result is not the same as by \(reference.entry):\n\(difference)"
                    let occurrence = FailureList.Occurrence.upgrade(to: target, by: entry.description)
                    if !difference.isEmpty { failures.add(.entryPoints, name, text, at: occurrence) }
                } else {
                    reference = (entry, result)
                    check(result, report, target)
                    var looked = fixture
                    // A name that only expired records have is not wrong.
                    if fixture.withoutExpired(by: configuration.now()) != fixture { looked.records = [] }
                    names.add(report, of: looked, migrations, isWhole: target == migrations.version)
                }
                try await repeatUpgrade(of: store, registry, entry, result, target)
            } catch {
                thrown.append((entry.description, UpgradeText.of(error)))
            }
            opened += 1
        }
        // Entry points are listed only if some of them do not have the failure.
        let isEverywhere = thrown.count == opened
        for (entry, text) in thrown {
            failures.add(
                .upgrade,
                name,
                "the upgrade throws \(text)",
                at: .upgrade(to: target, by: isEverywhere ? nil : entry)
            )
        }
        results[target] = reference?.result
    }

    private mutating func dryRun(
        _ store: TemporaryStore,
        _ registry: MigrationRegistry,
        _ target: Int
    ) throws -> MigrationReport {
        let before = try (store.contents(), Self.bytes(of: store))
        upgrades += 1
        let report = try store.dryRun(registry, configuration: configuration)
        if let losses {
            failures.add(losses.failures(of: report))
            lost.formUnion(report.losses.map(\.name))
        }
        let after = try (store.contents(), Self.bytes(of: store))
        let difference = StoreDifference(expected: before.0, found: after.0, aspects: .fingerprints)
        let occurrence = FailureList.Occurrence.upgrade(to: target, by: nil)
        if !difference.isEmpty {
            failures.add(.dryRun, name, "the dry run changed the store:\n\(difference)", at: occurrence)
        } else if before.1 != after.1 {
            failures.add(.dryRun, name, "the dry run wrote to the store's file", at: occurrence)
        }
        return report
    }

    private mutating func compare(_ dry: MigrationReport, _ report: MigrationReport, _ target: Int) {
        let (dry, report) = (dry.comparable, report.comparable)
        guard dry != report else { return }
        failures.add(
            .dryRun,
            name,
            "the report of the dry run differs from that of the upgrade. The dry run:\n\(dry)\nThe upgrade:\n\(report)",
            at: .upgrade(to: target, by: nil)
        )
    }

    private mutating func repeatUpgrade(
        of store: TemporaryStore,
        _ registry: MigrationRegistry,
        _ entry: EntryPoint,
        _ result: StoreFixture,
        _ target: Int
    ) async throws {
        let occurrence = FailureList.Occurrence.upgrade(to: target, by: entry.description)
        let bytes = try Self.bytes(of: store)
        upgrades += 1
        let report = try await store.upgrade(through: registry, by: entry, configuration: configuration)
        if !report.isEmpty {
            let names = report.entries.map(\.migration.description).joined(separator: ", ")
            failures.add(.repetition, name, "a second opening ran migrations again: \(names)", at: occurrence)
        }
        let difference = StoreDifference(
            expected: result,
            found: try store.contents(after: entry),
            aspects: .fingerprints
        )
        if !difference.isEmpty {
            failures.add(.repetition, name, "a second opening changed the store:\n\(difference)", at: occurrence)
        } else if report.isEmpty, try Self.bytes(of: store) != bytes {
            failures.add(.repetition, name, "a second opening wrote to the store's file", at: occurrence)
        }
    }

    private static func bytes(of store: TemporaryStore) throws -> [Data] {
        try [store.url.path, store.url.path + "-wal"].map { path in
            FileManager.default.fileExists(atPath: path) ? try Data(contentsOf: URL(filePath: path)) : Data()
        }
    }
}

extension MigrationReport {
    /// The report without what differs between a dry run and an upgrade of the same store: times, and what only a dry
    /// run collects.
    fileprivate var comparable: MigrationReport {
        var report = self
        report.store = "the store"
        report.startedAt = .distantPast
        report.duration = 0
        report.isDryRun = false
        // An upgrade that makes a backup also measures the space of a light one.
        report.space = nil
        report.onRead = []
        for index in report.entries.indices {
            report.entries[index].duration = 0
            report.entries[index].attachedCounts = [:]
            for step in report.entries[index].steps.indices {
                report.entries[index].steps[step].losses = []
                report.entries[index].steps[step].samples = []
            }
        }
        return report
    }
}
