import Foundation
import Molt

extension RandomUpgrade {
    static let types = ["A", "B", "C"]
    static let names = ["x", "y", "z", "w"]

    /// - Parameter mark: A number for what the steps write.
    static func recordSteps(_ random: inout SeededGenerator, mark: Int, _ traits: Traits) -> [MigrationStep] {
        let fails = traits.contains(.failures)
        if traits.contains(.handovers), random.oneIn(10) {
            return [.handOverRecords(random.pick(types + ["D"]), to: "nowhere") { _ in throw Refused() }]
        }
        guard fails, random.oneIn(3) else {
            if random.oneIn(12) { return mergingSteps(&random, mark: mark, addsRecords: !fails) }
            return [conditional(step(&random, mark: mark, addsRecords: !fails), &random)]
        }
        let step = conditional(failingStep(&random, mark: mark), &random)
        return [
            random.oneIn(4)
                ? step.onFailure(random.pick([.quarantine(upTo: .unlimited), .drop(upTo: .unlimited)])) : step
        ]
    }

    /// A migration that imports records or a table, and may have the source removed.
    ///
    /// - Parameters:
    ///   - mark: A number for what it writes.
    ///   - removals: Gets the migration's name when it would remove its source, which other stores may still import.
    static func importingMigration(
        to version: Int,
        _ name: String,
        _ random: inout SeededGenerator,
        mark: Int,
        fails: Bool,
        removals: Locked<[String]>
    ) -> Migration {
        let type = random.pick(types)
        if random.oneIn(2), let table = try? RandomTable(&random, mark: mark, fails: fails) {
            return Migration(to: version, name, table.step(as: type)).removingSource("the table") {
                withExtendedLifetime(table) { removals.withLock { $0.append(name) } }
            }
        }
        let step = importingStep(&random, type, mark: mark, fails: fails)
        guard random.oneIn(2) else { return Migration(to: version, name, step) }
        return Migration(to: version, name, step).removingSource("it") { removals.withLock { $0.append(name) } }
    }

    /// A step that imports records, and may reject some.
    private static func importingStep(
        _ random: inout SeededGenerator,
        _ type: String,
        mark: Int,
        fails: Bool
    ) -> MigrationStep {
        let (count, name, odd) = (1 + random.below(3), random.pick(names), fails ? random.below(6) : .max)
        return .importRecords("of \(mark)", as: type) { records in
            records.expectedCount = count
            for number in 0..<count {
                let key = "import\(mark)-\(number)"
                let content: RecordValue = ["id": .int(number), "\(name)": "of \(mark)"]
                if number == odd {
                    try records.reject(content, forKey: key, because: Refused())
                } else {
                    try records.add(content, forKey: key)
                }
            }
        }
    }

    /// The step, now and then with conditions if it can have some.
    static func conditional(_ step: MigrationStep, _ random: inout SeededGenerator) -> MigrationStep {
        var step = step
        while random.oneIn(5) {
            let name = PropertyPath(random.pick(names))
            var paths: [PropertyPath] = [name, [name, "in"], []]
            paths += names.flatMap { [[PropertyPath($0), .each], [PropertyPath($0), .each, "in"]] }
            // Most steps do not lead through elements.
            let possible = paths.filter { path in
                MigrationRegistry([Migration(to: 1, "m", step.where(path, exists: true))]).faults.isEmpty
            }
            guard !possible.isEmpty else { return step }
            let path = random.pick(possible)
            switch random.below(3) {
            case 0: step = step.where(path, equals: random.pick([1, .null, "text", "a b", ["in": [1, 2]]]))
            case 1: step = step.where(path, exists: random.oneIn(2))
            default: step = step.where(path, is: random.pick([.null, .number, .string, .array, .object]))
            }
        }
        return step
    }

    /// Steps after which several records of a type are one, or have one record that was in each of them.
    private static func mergingSteps(_ random: inout SeededGenerator, mark: Int, addsRecords: Bool) -> [MigrationStep] {
        let (type, name) = (random.pick(types), PropertyPath(random.pick(names)))
        let (key, at) = (PropertyPath("key\(mark)"), PropertyPath("at\(mark)"))
        let policies: [ConflictPolicy<Record>] = [
            .keep, .replace, .newest(by: at),
            .merge { record, other in
                // Also of what was merged before.
                record[key] = .string("\(record[key]?.string ?? "")+\(other[at]?.number?.text ?? "")")
            },
        ]
        let extracts = addsRecords && random.oneIn(2)
        let marking = MigrationStep.run("mark \(mark)") { migration in
            try migration.enumerate(type) { old, new in
                // Another type's key would stop the upgrade.
                let text = RecordValue.string("\(type)\(mark)-\(new[name]?.string ?? "")")
                let time = RecordValue.int(chance(old, mark, 2) ? mark : old.key.utf8.count)
                if extracts { new[key] = ["id": text, "at": time] } else { (new[key], new[at]) = (text, time) }
            }
        }
        if extracts {
            // With other policies, the result would depend on which record the store has first.
            let newest = ConflictPolicy<Record>.newest(by: "at")
            return [marking, .extractRecords(type, key, as: "E\(mark)", key: .property("id"), onConflict: newest)]
        }
        return [marking, .renameKeys(type, to: .property(key), onConflict: random.pick(policies))]
    }

    /// A step that changes some records, and fails for others.
    private static func failingStep(_ random: inout SeededGenerator, mark: Int) -> MigrationStep {
        let type = random.pick(types + ["D"])
        let place = type
        let salt = random.below(1_000)
        switch random.below(4) {
        case 0: return .renameProperty(place, PropertyPath(random.pick(names)), to: "failed\(mark)", ifMissing: .fail)
        case 1:
            return .convert(place, from: [String: Value].self, to: [String: Value].self) { old in
                guard old.count != salt % 4 else { throw Refused() }
                return old.merging(["converted": .number(mark)]) { $1 }
            }
        case 2:
            return .run("fail \(mark)") { migration in
                if salt % 3 == 0 { try migration.renameType(type, to: "D") }
                try migration.enumerate(type) { _, new in new["before\(mark)"] = .int(1) }
                try migration.enumerate(type) { old, new in
                    if chance(old, salt, 3) { throw Refused() }
                    new.key += "*\(mark)"
                }
            }
        default:
            return .transform(place) { record in
                record["tried\(mark)"] = .int(mark)
                if chance(record, salt, 2) { record.key += "/\(mark)" }
                if chance(record, salt + 1, 3) { throw Refused() }
            }
        }
    }

    private static func step(_ random: inout SeededGenerator, mark: Int, addsRecords: Bool) -> MigrationStep {
        let type = random.pick(types)
        let place = type
        let name = PropertyPath(random.pick(names))
        // Closures must do the same on both paths, so they depend only on the record and this number.
        let salt = random.below(1_000)
        if random.oneIn(3) { return declaredStep(&random, type, name, mark, addsRecords: addsRecords) }
        switch random.below(15) {
        case 0: return .renameType(type, to: random.pick(types + ["D"]))
        case 1: return random.oneIn(3) ? .deleteType(type) : .renameType("D", to: type)
        case 2: return .renameProperty(place, name, to: "\(name)\(mark)")
        case 3: return .renameProperty(place, [name, "in"], to: "inner\(mark)")
        case 4: return .removeProperty(place, name)
        case 5: return .addProperty(place, name, default: ["mark": .int(mark)])
        case 6: return .addProperty(place, ["new\(mark)", "deep"], default: .int(mark), creatingObjects: true)
        case 7: return .transform(place) { $0["seen"] = .string("\($0["seen"]?.string ?? "")\(mark)") }
        case 8: return .transform(place) { if chance($0, salt, 3) { $0.drop() } }
        case 9: return .transform(place) { if chance($0, salt, 2) { $0.key += "-\(mark)" } }
        case 10: return .transform(place) { $0.key = swapped($0.key) }
        case 11:
            let other = random.pick(types)
            return .transform(place) { if chance($0, salt, 2) { $0.typeName = other } }
        case 12:
            return .transform(place) { record in
                guard chance(record, salt, 2) else { return }
                record.expiration = chance(record, salt, 4) ? nil : Date(timeIntervalSince1970: 5e9 + Double(mark))
            }
        case 13:
            // The other property often exists.
            let other = random.pick(names.filter { PropertyPath($0) != name })
            let policy: ConflictPolicy<RecordValue> = random.pick([
                .keep, .replace, .merge { value, other in value = ["in": value, "other": other] },
            ])
            switch random.below(3) {
            case 0: return .renameProperty(place, name, to: other, onConflict: policy)
            case 1: return .moveProperty(place, name, to: PropertyPath(other), onConflict: policy)
            default: return .copyProperty(place, name, to: PropertyPath(other), onConflict: policy)
            }
        default:
            guard random.oneIn(2) else {
                return .run("mark \(mark)") { migration in
                    try migration.enumerate(type) { old, new in
                        if chance(old, salt, 4) { return new.drop() }
                        new["block\(mark)"] = .int(migration.oldVersion * 100 + migration.version)
                        if chance(old, salt, 3) { new.key += "+\(mark)" }
                    }
                }
            }
            return .convert(place, from: [String: Value].self, to: [String: Value].self) { old in
                old.merging(["converted": .number(mark)]) { $1 }
            }
        }
    }

    /// A step that takes the place of a closure; values that it cannot change are kept or skipped.
    private static func declaredStep(
        _ random: inout SeededGenerator,
        _ type: String,
        _ name: PropertyPath,
        _ mark: Int,
        addsRecords: Bool
    ) -> MigrationStep {
        let place = type
        let policy = FailurePolicy.quarantine(upTo: .unlimited)
        let each: PropertyPath = [name, .each]
        let inner: PropertyPath = [name, .each, "in"]
        switch random.below(addsRecords ? 18 : 17) {
        case 0: return .splitProperty(place, name, into: ["\(name)a\(mark)", "\(name)b\(mark)"]).onFailure(policy)
        case 1:
            let paths: [PropertyPath] = [[name, .each, "a\(mark)"], [name, .each, "b\(mark)"]]
            return .splitProperty(place, inner, at: .last(" "), into: paths).onFailure(policy)
        case 2: return .joinProperties(place, [name, "\(name)a\(mark)"], into: name).onFailure(policy)
        case 3: return .copyProperty(place, name, to: "copy\(mark)")
        case 4: return .mapValue(place, name, [1: "one", .null: 0, ["in": 1]: [:]])
        case 5: return .mapValue(place, each, [.null: .null, 1: "one"], otherwise: .remove)
        case 6: return .changeValue(place, name, to: .string, otherwise: .keep)
        case 7: return .changeValue(place, inner, from: .deferredToDate, to: .iso8601, otherwise: .keep)
        case 8: return .wrapProperty(place, name, in: random.oneIn(2) ? .array : .object("in")).onFailure(policy)
        case 9: return .unwrapProperty(place, name, from: .array).onFailure(policy)
        case 10: return .renameProperty(place, inner, to: "inner\(mark)")
        case 11:
            let form = random.pick([Record.DictionaryForm.object, .alternatingArray, .alternatingArrayOfIntegers])
            return .changeDictionary(place, name, to: form).onFailure(policy)
        case 12: return .mapValue(place, name, in: .keys, ["in": "x", "x": "in", 1: "one"]).onFailure(policy)
        case 13: return .mapValue(place, name, in: .values, [1: "one"], otherwise: .remove).onFailure(policy)
        case 14:
            guard random.oneIn(2) else { return .joinArray(place, name, separator: " ").onFailure(policy) }
            return .splitIntoArray(place, name, separator: " ").onFailure(policy)
        case 15:
            let key = random.pick([Record.NewKey.lowercased, .precomposed])
            return .renameKeys(type, to: key, onConflict: .newest(by: "at"))
        case 16:
            let other: Record.OtherValue = random.pick([.fail, .keep, .remove])
            guard random.oneIn(2) else { return .parseJSONText(place, name, otherwise: other).onFailure(policy) }
            return .encodeAsJSONText(place, random.oneIn(3) ? each : name, otherwise: other).onFailure(policy)
        default: return .extractRecords(type, name, as: "E\(mark)", key: .derived, leaving: .nothing).onFailure(policy)
        }
    }

    /// Whether something happens to a record; depends only on its key and a number.
    private static func chance(_ record: Record, _ salt: Int, _ count: UInt64) -> Bool {
        let hash = record.key.utf8.reduce(UInt64(salt)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return (hash >> 7) % count == 0
    }

    /// Exchanges keys in pairs: 0 with 1, 2 with 3, and so on.
    private static func swapped(_ key: String) -> String {
        var bytes = Array(key.utf8)
        if bytes.count > 1 { bytes[1] ^= 1 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The JSON of the records, for `convert` and for reading them.
    package enum Value: Codable, Equatable, Sendable {
        case null
        case bool(Bool)
        case number(Int)
        case fraction(Double)
        case text(String)
        case list([Value])
        case object([String: Value])

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let bool = try? container.decode(Bool.self) {
                self = .bool(bool)
            } else if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else if let number = try? container.decode(Double.self) {
                self = .fraction(number)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let list = try? container.decode([Value].self) {
                self = .list(list)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .bool(let bool): try container.encode(bool)
            case .number(let number): try container.encode(number)
            case .fraction(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            case .list(let list): try container.encode(list)
            case .object(let object): try container.encode(object)
            }
        }
    }
}

/// The error of a step that fails for a record.
struct Refused: Error {}
