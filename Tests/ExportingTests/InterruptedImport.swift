import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// An import of random records and settings that ends at a random point, and a model of what it must leave.
///
/// The model knows the two declared renames of the later release and the rules of an import, and nothing of Molt's
/// journal and ledgers.
struct InterruptedImport: Codable, Sendable {
    typealias Settings = [String: PropertyListValue]
    typealias Records = [String: String]

    let seed: UInt64
    let names: [String]
    let directory: URL

    private var suites: [Suite] { names.map { Suite($0) } }
    private var file: URL { directory.appending(path: "export.json") }

    /// The points at which an import is killed, by the number of times that each was reached; nil is its end.
    private static let points: [(UpgradePoint.Kind, Int)?] = [
        nil, (.beforeCommit, 1), (.beforeApply, 1), (.beforeApply, 2), (.afterApply, 1), (.afterApply, 2),
        (.clearJournal, 1),
    ]

    /// Everything that the seed determines.
    private struct Choices {
        /// The settings of each suite, and the records, as the first release exports them; one of each is always new.
        var exported: [Settings] = []
        var exportedRecords: Records
        /// Those that the import finds.
        var before: [Settings] = []
        var recordsBefore: Records
        /// Whether each suite has lost its ledger.
        var hasNoLedger: [Bool] = []
        /// What happens to keys in use.
        var words: String
        var point: (UpgradePoint.Kind, Int)?
        var random: SeededGenerator

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            for _ in 0..<2 {
                exported.append(["always": 1].merging(Self.settings(["a", "b-old", "c", "d"], &random)) { $1 })
                before.append(Self.settings(["a", "b", "c", "e"], &random))
                hasNoLedger.append(random.oneIn(3))
            }
            exportedRecords = ["always": #"{"text":1}"#].merging(Self.records("text", &random)) { $1 }
            recordsBefore = Self.records("body", &random)
            words = random.pick(["keep", "replace", "merge"])
            point = random.pick(InterruptedImport.points)
        }

        private static func settings(_ keys: [String], _ random: inout SeededGenerator) -> Settings {
            var settings: Settings = [:]
            for key in keys where !random.oneIn(3) { settings[key] = .int(Int64(random.below(3))) }
            return settings
        }

        private static func records(_ property: String, _ random: inout SeededGenerator) -> Records {
            var records: Records = [:]
            for key in ["x", "y", "z"] where !random.oneIn(3) {
                records[key] = #"{"\#(property)":\#(random.below(3))}"#
            }
            return records
        }

        /// The content of the export in the form of the later release.
        var imported: [Settings] {
            exported.map { settings in
                Settings(uniqueKeysWithValues: settings.map { ($0 == "b-old" ? "b" : $0, $1) })
            }
        }

        var importedRecords: Records {
            exportedRecords.mapValues { $0.replacingOccurrences(of: "text", with: "body") }
        }

        /// Merging takes the greater number.
        var policy: ConflictPolicy<CodableCache> {
            switch words {
            case "keep": .keep
            case "replace": .replace
            default:
                .merge { record, other in
                    record["body"] = .int(max(try record.int("body"), try other.int("body")))
                } settings: { value, other in
                    if let own = value.int, let new = other.int { value = .int(max(own, new)) }
                }
            }
        }

        /// What an import makes of settings.
        func merge(_ imported: Settings, into current: Settings) -> Settings {
            merge(imported, into: current) { own, new in
                guard let number = own.int, let other = new.int else { return own }
                return .int(max(number, other))
            }
        }

        /// What an import makes of records, whose texts differ in one digit.
        func merge(_ imported: Records, into current: Records) -> Records {
            merge(imported, into: current) { max($0, $1) }
        }

        private func merge<Value>(
            _ imported: [String: Value],
            into current: [String: Value],
            _ greater: (Value, Value) -> Value
        ) -> [String: Value] {
            current.merging(imported) { words == "keep" ? $0 : words == "replace" ? $1 : greater($0, $1) }
        }
    }

    private var migrations: MigrationRegistry {
        let (first, second) = (Suite(names[0]), Suite(names[1]))
        return [
            Migration(
                to: 1,
                "first",
                .renameSetting("older", to: "a", in: first),
                .renameSetting("older", to: "a", in: second)
            ),
            Migration(
                to: 2,
                "second",
                .renameSetting("b-old", to: "b", in: first),
                .renameSetting("b-old", to: "b", in: second),
                .renameProperty("Note", "text", to: "body")
            ),
        ]
    }

    private func open(_ name: String, version: Int = 2, _ hook: UpgradeHook? = nil) throws -> CodableCache {
        try CodableCache(
            at: directory.appending(path: name),
            migrations: migrations.upTo(version: version),
            configuration: MoltConfiguration {
                $0.suites = suites
                $0.hooks.atPoint = hook
            }
        )
    }

    private func write(_ records: Records, version: Int, to name: String) throws {
        let records = records.map {
            StoreContents.StoredRecord(key: $0, typeName: "Note", content: Array($1.utf8), version: version)
        }
        let contents = StoreContents(version: version, records: records)
        try contents.write(to: StoreFile(at: directory.appending(path: name)))
    }

    /// Removes all settings and the ledger.
    private func erase(_ suite: Suite) throws {
        try suite.write(set: [:], remove: Set(suite.allValues().keys))
    }

    private func records() throws -> Records {
        let records = try StoreFile.contents(at: directory.appending(path: "target")).records
        return Dictionary(uniqueKeysWithValues: records.map { ($0.key, String(decoding: $0.content, as: UTF8.self)) })
    }

    // MARK: The import

    /// Exports the first release's content, and writes what the import will find.
    func prepare() throws {
        let choices = Choices(seed: seed)
        for (suite, settings) in zip(suites, choices.exported) { try suite.update(set: settings) }
        try write(choices.exportedRecords, version: 0, to: "source")
        let source = try open("source", version: 1)
        try source.exportAndWait(to: file, suites: suites)
        source.close()

        for suite in suites { try erase(suite) }
        try write(
            choices.recordsBefore.mapValues { $0.replacingOccurrences(of: "body", with: "text") },
            version: 0,
            to: "target"
        )
        try open("target").close()
        for (index, suite) in suites.enumerated() {
            if choices.hasNoLedger[index] { try erase(suite) } else { try suite.removeAll() }
            try suite.update(set: choices.before[index])
        }
    }

    /// Imports until the process is killed.
    func importUntilKilled() throws {
        let choices = Choices(seed: seed)
        let reached = Locked<Int?>(nil)
        let target = try open("target") { point in
            guard let (kind, number) = choices.point, point.kind == kind else { return }
            let count = reached.withLock { count in
                count = count.map { $0 + 1 }
                return count
            }
            if count == number { raise(SIGKILL) }
        }
        reached.withLock { $0 = 0 }
        try target.importAndWait(from: file, suites: suites, onConflict: choices.policy)
        raise(SIGKILL)
    }

    // MARK: The result

    /// Changes settings as the app might, opens stores or repeats the import, and compares all with the model.
    ///
    /// - Returns: Whether changes were pending.
    func finish() throws -> Bool {
        var choices = Choices(seed: seed)
        let merged = zip(choices.imported, choices.before).map { choices.merge($0, into: $1) }
        let mergedRecords = choices.merge(choices.importedRecords, into: choices.recordsBefore)
        let isPending = try !StoreFile.state(at: directory.appending(path: "target")).journal.isEmpty
        let isImported = try records() == mergedRecords
        let comment: Comment = "seed \(seed), \(String(describing: choices.point)), \(choices)"
        if !isImported { #expect(try records() == choices.recordsBefore && !isPending, comment) }

        var expected: [Settings] = []
        for (index, suite) in suites.enumerated() {
            let before = choices.before[index]
            let found = try suite.values()
            let isSet = found == merged[index]
            #expect(isSet ? isImported : found == before && (isPending || !isImported), comment)
            var changed = found
            var touched: Set<String> = []
            for key in Set(before.keys).union(merged[index].keys).sorted() where choices.random.oneIn(2) {
                switch choices.random.below(3) {
                case 0: changed[key] = nil
                case 1: changed[key] = before[key] ?? .string("new")
                default: changed[key] = .string("newer")
                }
                if changed[key] != found[key] { touched.insert(key) }
            }
            try suite.update(set: changed, remove: Set(found.keys).subtracting(changed.keys))
            // If the app has removed all that there was before the settings came, these do not come, either.
            let isEmptied = !before.isEmpty && before.keys.allSatisfy { changed[$0] == nil }
            if isPending, !isSet, !isEmptied {
                for (key, value) in merged[index] where !touched.contains(key) { changed[key] = value }
            }
            expected.append(changed)
        }

        if choices.random.oneIn(2) {
            // Another store leaves alone what it does not know.
            let values = try suites.map { try $0.values() }
            try open("other").close()
            for (suite, values) in zip(suites, values) { #expect(try suite.values() == values, comment) }
        }
        try open("target").close()
        for (suite, values) in zip(suites, expected) { #expect(try suite.values() == values, comment) }
        #expect(try records() == (isImported ? mergedRecords : choices.recordsBefore), comment)
        #expect(try StoreFile.state(at: directory.appending(path: "target")).journal.isEmpty, comment)

        if choices.random.oneIn(2) {
            let target = try open("target")
            try target.importAndWait(from: file, suites: suites, onConflict: choices.policy)
            target.close()
            for (index, suite) in suites.enumerated() {
                expected[index] = choices.merge(choices.imported[index], into: expected[index])
                #expect(try suite.values() == expected[index], comment)
            }
            #expect(try records() == mergedRecords, comment)
        }
        return isPending
    }
}
