import Foundation
package import Molt

extension RandomUpgrade {
    private static let settingKeys = ["a", "b", "c", "d"]

    /// The settings that the first release wrote.
    package static func settings(_ random: inout SeededGenerator) throws -> [String: PropertyListValue] {
        var settings: [String: PropertyListValue] = [:]
        for key in settingKeys where !random.oneIn(3) { settings[key] = setting(&random) }
        if !random.oneIn(3) { settings[Resident.name] = try Resident(&random).setting(&random) }
        return settings
    }

    private static func setting(_ random: inout SeededGenerator) -> PropertyListValue {
        random.pick([
            .date(Date(timeIntervalSinceReferenceDate: 1.75)), .unsigned(7), .unsigned(.max), .int(-1), .double(1),
            .bool(true), .string("[\"x\",\"y\"]"), .string("[1,2"), .string("{\"k\":[1,2]}"), .string("text"),
            .array([.date(Date(timeIntervalSinceReferenceDate: -0.5)), .unsigned(3)]), .data(Data([1, 2])),
        ])
    }

    /// A migration of one or two suites.
    static func settingsMigration(
        to version: Int,
        _ name: String,
        _ suites: [Suite],
        _ random: inout SeededGenerator
    ) -> Migration {
        let swapped = random.oneIn(2)
        let (suite, other) = swapped ? (suites[1], suites[0]) : (suites[0], suites[1])
        let key = random.pick(settingKeys)
        let otherKey = random.pick(settingKeys.filter { $0 != key })
        let new = setting(&random)
        if random.oneIn(4) {
            let steps = Resident.steps(.setting(Resident.name, in: suite), &random)
            return Migration(to: version, name, steps: steps.map { $0.onFailure(.quarantine(upTo: .unlimited)) })
        }
        switch random.below(14) {
        case 12:
            let policy: ConflictPolicy<PropertyListValue> = random.pick([
                .keep, .replace, .merge { value, other in value = [value, other] },
            ])
            let step: MigrationStep =
                switch random.below(3) {
                case 0: .renameSetting(key, to: otherKey, in: suite, onConflict: policy)
                case 1: .copySetting(key, to: otherKey, in: suite, onConflict: policy)
                default: .renameSettings(withPrefix: key, to: otherKey, in: suite, onConflict: policy)
                }
            return Migration(to: version, name, step)
        case 0:
            return Migration(to: version, name, .changeSettings(in: suite) { try $0.set(new, forKey: key) })
        case 1:
            // The written value records exactly what the step has seen.
            return Migration(
                to: version,
                name,
                .changeSettings(in: suite) { settings in
                    let seen = try settings.value(forKey: key)
                    if case .date(let date)? = seen {
                        try settings.set(.double(date.timeIntervalSinceReferenceDate), forKey: otherKey)
                    } else {
                        try settings.set(.string(String(describing: seen)), forKey: otherKey)
                    }
                }
            )
        case 2: return Migration(to: version, name, .renameSetting(key, to: otherKey, in: suite))
        case 3: return Migration(to: version, name, .removeSettings(key, in: suite))
        case 4:
            return .defaultsV4ToV5(
                to: version,
                name,
                suite: suite,
                keys: [.key(key, .array(of: .string)), .key(otherKey, .array(of: .int))]
            )
        case 5: return .swiftyUserDefaults(to: version, name, suite: suite, keys: [.key(key, .array(of: .string))])
        case 6:
            // A second run would show.
            return Migration(
                to: version,
                name,
                .changeSettings(in: suite) { settings in
                    let earlier = try settings.value(forKey: "trace")?.string ?? ""
                    try settings.set(.string("\(earlier) \(name)"), forKey: "trace")
                }
            )
        case 7...10:
            let place =
                random.oneIn(4) ? .settings(withPrefix: key, in: suite) : MigrationStep.Settings.setting(key, in: suite)
            let steps = (0..<2).map { _ in conditionalStep(place, &random) }
            return Migration(to: version, name, steps: steps.map { $0.onFailure(.quarantine(upTo: .unlimited)) })
        case 13:
            let isPrefix = random.oneIn(3)
            let receive = { @Sendable (key: String, value: PropertyListValue) in
                handedOver.withLock { $0[suite.attachedName, default: []].append("\(name) \(key): \(value)") }
            }
            let step =
                isPrefix
                ? MigrationStep.handOverSettings(withPrefix: key, in: suite, to: "a log", receive)
                : .handOverSettings(key, otherKey, in: suite, to: "a log", receive)
            return Migration(to: version, name, step)
        default:
            return .suiteToAppGroup(
                to: version,
                name,
                from: suite,
                into: other,
                keys: random.oneIn(2) ? .all : .only([key]),
                renaming: random.oneIn(2) ? [:] : [key: "e"],
                onConflict: random.oneIn(2) ? .replace : .keep,
                removingSource: !random.oneIn(2)
            )
        }
    }

    private static func conditionalStep(
        _ place: MigrationStep.Settings,
        _ random: inout SeededGenerator
    ) -> MigrationStep {
        let step = contentStep(place, &random)
        let path: PropertyPath = random.pick(["k", [], ["k", .each]])
        let conditional =
            random.oneIn(2)
            ? step.where(path, is: random.pick([.string, .number, .array, .object]))
            : step.where(path, equals: random.pick([1, "text", [1, "x"]]))
        let isPossible = MigrationRegistry([Migration(to: 1, "m", conditional)]).faults.isEmpty
        return isPossible && random.oneIn(3) ? conditional : step
    }

    /// A step on the content of settings, in whatever form it is.
    private static func contentStep(_ place: MigrationStep.Settings, _ random: inout SeededGenerator) -> MigrationStep {
        switch random.below(9) {
        case 0: .renameProperty(place, "k", to: "l")
        case 1: .wrapProperty(place, random.oneIn(2) ? [] : "l", in: random.oneIn(2) ? .array : .object("k"))
        case 2: .changeForm(place, to: random.pick(Array(SettingForm.allCases)), dates: .iso8601)
        case 3: .changeValue(place, [], from: .iso8601, to: .propertyListDate, otherwise: .keep)
        case 4: .mapValue(place, ["k", .each], [1: "one", 2: ["k": "two"]])
        case 5: .transform(place) { $0["seen"] = .string("\($0["seen"]?.string ?? "")+") }
        case 6: .parseJSONText(place, random.oneIn(2) ? [] : "k", otherwise: .keep)
        case 7: .encodeAsJSONText(place, random.oneIn(2) ? [] : "k", otherwise: .keep)
        default: .addProperty(place, "k", default: [1, "x"])
        }
    }

    // MARK: Settings that become records

    /// The settings that the first release wrote, each with an object.
    package static func movedSettings(_ random: inout SeededGenerator) -> [String: PropertyListValue] {
        var settings: [String: PropertyListValue] = [:]
        for number in 0..<6 where !random.oneIn(3) {
            let kind = random.pick(["a", "b"])
            settings["\(kind)\(number)"] = random.oneIn(2) ? #"{"x":1,"y":{"in":"z"}}"# : ["x": "text", "y": ["in": 2]]
        }
        return settings
    }

    /// Migrations that move settings into records, between and beside others that change such records.
    ///
    /// Only steps on single records and on keys follow, so that a record can go through all of them whenever it comes.
    package static func movingMigrations(_ suite: Suite, _ random: inout SeededGenerator) -> MigrationRegistry {
        while true {
            var migrations: [Migration] = []
            let moves = [random.below(4), random.below(4)]
            for version in 1...4 {
                var steps: [MigrationStep] = []
                for (prefix, place) in zip(["a", "b"], moves) where place == version - 1 {
                    let moved = MigrationStep.Settings.settings(withPrefix: prefix, in: suite)
                    steps.append(.moveToRecords(moved, ofType: random.pick(types), key: random.pick(["a", "c"])))
                }
                for number in 0..<random.below(4) { steps.append(recordStep(&random, mark: version * 10 + number)) }
                if random.oneIn(3) {
                    steps.append(.renameProperty(.settings(withPrefix: "b", in: suite), "x", to: "x"))
                }
                migrations.append(Migration(to: version, "m\(version)", steps: steps))
            }
            // Some closures change more than the content of records, and are no steps for a migration on read.
            let onRead = migrations.map { migration in
                let isPossible = MigrationRegistry([migration.onRead()]).faults.isEmpty && !migration.steps.isEmpty
                return isPossible && migration.steps.allSatisfy(\.isDeclared) && random.oneIn(2)
                    ? migration.onRead() : migration
            }
            let registry = MigrationRegistry(onRead)
            if registry.faults.isEmpty { return registry }
        }
    }

    private static func recordStep(_ random: inout SeededGenerator, mark: Int) -> MigrationStep {
        let type = random.pick(types)
        switch random.below(8) {
        case 0: return .renameType(type, to: random.pick(types))
        case 1: return .addProperty(type, "new\(mark)", default: .int(mark)).where("x", is: .number)
        case 2: return .moveProperty(type, ["y", "in"], to: "in\(mark)")
        case 3:
            return .transform(type) { $0["seen"] = .string("\($0["seen"]?.string ?? "")+\(mark)") }
        case 4: return .transform(type) { $0.key += "-\(mark)" }
        case 5: return .renameKeys(type, to: .lowercased)
        case 6: return .extractRecords(type, "y", as: random.pick(types), key: .derived, leaving: .nothing)
        default: return .mapValue(type, "x", [1: "one", "text": 2])
        }
    }
}
