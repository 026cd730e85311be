import Foundation
package import Molt

/// The migrations of an app's releases, the records that its first release wrote, and how its stores are opened.
///
/// All of it is generated from a seed, and everything that an app can choose varies: the kinds of steps, the failure
/// policies, which migrations run on read, the coders and models of each release, and the suites that steps change.
/// Tests of invariants use the same generator, so that a choice is in all of them.
package struct RandomUpgrade: CustomStringConvertible, Sendable {
    /// The choices that a test is about.
    package struct Traits: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Records of the types A, B and C, with any properties, and steps of all kinds.
        package static let records = Traits(rawValue: 1)
        /// Records of the type Item, with other coders and another model in some releases.
        package static let models = Traits(rawValue: 2)
        /// Steps that fail for some records, and policies that quarantine those.
        package static let failures = Traits(rawValue: 4)
        /// Some migrations run on read.
        package static let onRead = Traits(rawValue: 8)
        /// Steps that hand over records, whose closures never succeed.
        package static let handovers = Traits(rawValue: 16)
        /// Steps that import records and tables, also into a new store.
        package static let imports = Traits(rawValue: 32)
    }

    /// For choices during the test, which must not change what was generated.
    package var random: SeededGenerator
    /// The policy of all registries for records that a step cannot convert.
    private let policy: FailurePolicy
    package let releases: RandomReleases
    private let seed: UInt64
    private let traits: Traits
    private let migrations: [Migration]
    /// The settings that were handed over, by the names of their suites.
    package static let handedOver = Locked<[String: [String]]>([:])
    /// The names of the migrations on read.
    private let onRead: Set<String>
    /// The names of the migrations that had the sources of their imports removed.
    private let removals = Locked<[String]>([])

    /// - Parameter suites: The suites that steps change; none by default.
    package init(seed: UInt64, _ traits: Traits, suites: [Suite] = []) {
        self.seed = seed
        self.traits = traits
        random = SeededGenerator(seed: seed)
        policy =
            if !traits.contains(.failures) { .stop } else {
                random.oneIn(5) ? .drop(upTo: .unlimited) : .quarantine(upTo: .unlimited)
            }
        while true {
            var releases = RandomReleases(&random, varies: traits.contains(.models))
            let migrations = Self.migrations(traits, suites, &releases, removals, &random)
            guard releases.registry(migrations).faults.isEmpty else { continue }
            (self.migrations, self.releases) = (migrations, releases)
            break
        }
        onRead = traits.contains(.onRead) ? Self.onRead(migrations, &random) : []
    }

    package var description: String {
        let steps = migrations.flatMap { migration in
            migration.steps.map { "\(migration.version)\(onRead.contains(migration.name) ? " on read" : ""): \($0)" }
        }
        return "seed \(seed): \(steps)"
    }

    private static func migrations(
        _ traits: Traits,
        _ suites: [Suite],
        _ releases: inout RandomReleases,
        _ removals: Locked<[String]>,
        _ random: inout SeededGenerator
    ) -> [Migration] {
        var migrations: [Migration] = []
        var version = 0
        for number in 0..<(2 + random.below(5)) {
            let isRelease = number == 0 || random.below(4) > 0
            if isRelease {
                version += 1
                releases.begin()
                if traits.contains(.models) {
                    migrations += releases.migrations(&random, fails: traits.contains(.failures))
                }
            }
            // Its closures decode nothing that the coders concern.
            let ownCoding = releases.changesCoders || random.oneIn(2) ? RecordCoding.standard : nil
            func add(_ migration: Migration) { migrations.append(ownCoding.map(migration.coding) ?? migration) }
            if traits.contains(.records) {
                let steps = (0..<random.below(4)).flatMap { recordSteps(&random, mark: number * 10 + $0, traits) }
                add(Migration(to: version, "m\(number)", steps: steps))
                if traits.contains(.imports), random.oneIn(2) {
                    let fails = traits.contains(.failures)
                    add(
                        importingMigration(
                            to: version,
                            "i\(number)",
                            &random,
                            mark: number,
                            fails: fails,
                            removals: removals
                        )
                    )
                }
                if random.oneIn(2) {
                    let place = Resident.name
                    add(Migration(to: version, "r\(number)", steps: Resident.steps(place, &random)))
                }
            }
            if !suites.isEmpty { add(settingsMigration(to: version, "s\(number)", suites, &random)) }
        }
        return migrations
    }

    /// Some of the migrations whose steps allow it; fewer of those with closures, because many closures do not.
    private static func onRead(_ migrations: [Migration], _ random: inout SeededGenerator) -> Set<String> {
        let chosen = migrations.filter { migration in
            guard MigrationRegistry([migration.onRead()]).faults.isEmpty, !migration.steps.isEmpty else { return false }
            return random.below(keepsRecords(migration) ? 8 : 4) > 2
        }
        return Set(chosen.map(\.name))
    }

    /// Whether it is known to change only the content of records.
    private static func keepsRecords(_ migration: Migration) -> Bool {
        RandomReleases.owns(migration) || migration.steps.allSatisfy(\.isDeclared)
    }

    // MARK: Openings

    /// The registry of the last release.
    package var registry: MigrationRegistry {
        releases.registry(migrations.map { onRead.contains($0.name) ? $0.onRead() : $0 }).onFailure(policy)
    }

    /// The registry of the last release if it ran nothing on read; some closures change more than the content of
    /// records.
    package var eagerRegistry: MigrationRegistry { releases.registry(migrations).onFailure(policy) }

    /// The registry of a release, which may run eagerly what the last release runs on read.
    package mutating func registry(of version: Int) -> MigrationRegistry {
        let migrations = migrations.map { migration in
            guard onRead.contains(migration.name) else { return migration }
            return Self.keepsRecords(migration) && random.oneIn(3) ? migration : migration.onRead()
        }
        return releases.registry(migrations).upTo(version: version).onFailure(policy)
    }

    /// The configuration of an opening.
    package mutating func configuration() -> MoltConfiguration {
        var configuration = MoltConfiguration()
        configuration.process = random.oneIn(3) ? .tool : .app
        configuration.hooks.batchSize = 1 + random.below(5)
        return configuration
    }

    /// Returns the names of the migrations that had the sources of their imports removed since the last call.
    package func takeRemovals() -> [String] {
        removals.withLock { removals in
            defer { removals = [] }
            return removals
        }
    }

    // MARK: Records

    /// The records that the first release wrote.
    package mutating func records() throws -> [StoreContents.StoredRecord] {
        var records: [StoreContents.StoredRecord] = []
        if traits.contains(.records) {
            records += (0..<random.below(14)).map { Self.record($0, &random) }
            for number in 0..<random.below(4) {
                let content = Array(try Resident(&random).json())
                records.append(
                    StoreContents.StoredRecord(key: "r\(number)", typeName: Resident.name, content: content, version: 0)
                )
            }
        }
        guard traits.contains(.models) else { return records }
        for number in 0..<random.below(5) {
            let content = try releases.encode(Item(&random), at: 0)
            records.append(
                StoreContents.StoredRecord(key: "i\(number)", typeName: "Item", content: Array(content), version: 0)
            )
        }
        return records
    }

    private static func record(_ number: Int, _ random: inout SeededGenerator) -> StoreContents.StoredRecord {
        let space = random.pick(["", " ", "\n  "])
        let properties = names.filter { _ in random.below(3) > 0 }.map { name in
            let value = random.pick([
                "1", "20", "null", #""te\u0078t""#, #""a b c""#, #"{"in":1}"#, #"{ "in" : [1 ,2] }"#,
                #"[ {"in" : "a b"} ,null, {"in":2 } ]"#,
            ])
            return "\(space)\"\(name)\"\(space): \(value)"
        }
        return StoreContents.StoredRecord(
            key: "k\(number)",
            typeName: random.pick(types),
            content: Array("{\(properties.joined(separator: ","))\(space)}".utf8),
            expiration: random.oneIn(4) ? 4e9 + Double(number) : nil,
            version: 0
        )
    }
}
