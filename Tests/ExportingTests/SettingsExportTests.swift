import Foundation
import Molt
import TestSupport
import Testing

@Suite("Settings in an export") struct SettingsExportTests {
    private let scratch: ScratchSuite
    private let cache: ScratchCache
    private var suite: Suite { scratch.suite }
    private var file: URL { cache.directory.appending(path: "export.json") }
    private var other: URL { cache.directory.appending(path: "other.molt") }

    init() throws {
        scratch = try ScratchSuite()
        cache = try ScratchCache()
    }

    private func attached() -> MoltConfiguration {
        MoltConfiguration { $0.suites = [suite] }
    }

    /// Exports the suite from a new cache.
    private func export(_ migrations: MigrationRegistry = []) throws {
        let source = try CodableCache(at: cache.url, migrations: migrations)
        defer { source.close() }
        try source.exportAndWait(to: file, suites: [suite])
    }

    /// Replaces a part of the export's settings or records.
    private func edit(_ text: String, to new: String) throws {
        var all = try String(contentsOf: file, encoding: .utf8)
        let settings = try #require(all.range(of: "\"settings\"")).upperBound
        all.replaceSubrange(try #require(all.range(of: text, range: settings..<all.endIndex)), with: new)
        try Data(all.utf8).write(to: file)
    }

    /// Expects that an import throws and changes nothing.
    @discardableResult
    private func failure(
        _ migrations: MigrationRegistry = [],
        settings: [Suite]? = nil,
        onConflict policy: ConflictPolicy<CodableCache> = .fail,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> MoltError? {
        let target = try CodableCache(at: other, migrations: migrations, configuration: attached())
        defer { target.close() }
        let before = try scratch.allValues
        let records = try target.contents().records
        let error = MoltError.thrown(sourceLocation: sourceLocation) {
            try target.importAndWait(from: file, suites: settings ?? [suite], onConflict: policy)
        }
        #expect(error?.outcome == .unchanged, sourceLocation: sourceLocation)
        try expect(scratch.allValues, is: before, sourceLocation: sourceLocation)
        try expect(target.contents().records, is: records, sourceLocation: sourceLocation)
        return error
    }

    @Test func `are a member before the records, without the ledger`() throws {
        try suite.update(set: ["b": 1, "a/": "x", "date": .date(Date(timeIntervalSinceReferenceDate: 60))])
        let migrations: MigrationRegistry = [Migration(to: 1, "rename", .renameSetting("b", to: "c", in: suite))]
        let source = try CodableCache(at: cache.url, migrations: migrations)
        let summary = try source.exportAndWait(to: file, suites: [suite, suite])
        #expect(summary.settings == 3)
        #expect("\(summary)".hasPrefix("exported 0 records and 3 settings at version 1"))
        let text = try String(contentsOf: file, encoding: .utf8)
        let settings = #"{"a/":"x","c":{"int":1},"date":{"date":60}}"#
        let name = suite.attachedName
        let migration = #"{"name":"rename","version":1}"#
        #expect(
            text.contains(",\n\"settings\":{\"\(name)\":{\"migrations\":[\(migration)],\"values\":\(settings)}},\"rec")
        )
        #expect(try source.exportAndWait(to: file).settings == 0)
        #expect(try !String(contentsOf: file, encoding: .utf8).contains("settings"))
        source.close()
    }

    @Test func `come back as they were, whatever they are`() async throws {
        let scalars: [PropertyListValue] = [
            true, false, 0, .int(.min), .int(.max), .unsigned(.max), 1.0, 0.1,
            .double(.leastNonzeroMagnitude),
            .double(.greatestFiniteMagnitude), .double(.infinity), .double(-.infinity), .double(.nan), "", "nan",
            "\"\\\n\u{1}é e\u{301} 😀\u{2028}", .data(Data()), .data(Data((0...255).map { UInt8($0) })),
            .date(Date(timeIntervalSinceReferenceDate: -12_345_678_901)), .date(Date(timeIntervalSince1970: 0)),
        ]
        var deep: PropertyListValue = "x"
        for level in 0..<150 { deep = level % 2 == 0 ? ["int": deep] : [deep] }
        var values: [String: PropertyListValue] = [
            "array": .array(scalars + [[], [:], ["dictionary": ["int": 1], "": []]]), "deep": deep, "key\n\"😀": 1,
            "": 2,
        ]
        for (number, value) in scalars.enumerated() { values["\(number)"] = value }
        try suite.update(set: values)
        let before = try scratch.values
        try export()
        try scratch.erase()
        let target = try CodableCache(at: other, configuration: attached())
        let summary = try await target.import(from: file, suites: [suite])
        #expect(summary.settings == values.count)
        try scratch.expect(before)
        target.close()
    }

    @Test func `are an error unless they have today's form`() throws {
        try suite.update(set: ["a": 1])
        let rename = Migration(to: 1, "rename", .renameSetting("a", to: "b", in: suite))
        try CodableCache(at: cache.url).close()
        let reading = try CodableCache(reading: cache.url, migrations: [])
        #expect(try reading.exportAndWait(to: file, suites: [suite]).settings == 1)
        reading.close()
        let source = try CodableCache(at: cache.url, migrations: [rename])
        // As if the settings were those of an older backup.
        try scratch.erase()
        #expect(try source.exportAndWait(to: file, suites: [suite]).settings == 0)
        try scratch.putBack(["a": 1])
        MoltError.thrown { try source.exportAndWait(to: file, suites: [suite]) }?
            .expect(.needsMigration, id: rename.id, suite: suite.attachedName, outcome: .unchanged)
        Suite.closedDomains.withLock { _ = $0.insert(scratch.name) }
        defer { Suite.closedDomains.withLock { _ = $0.remove(scratch.name) } }
        let error = MoltError.thrown { try source.exportAndWait(to: file, suites: [suite]) }
        error?.expect(.deferred, suite: suite.attachedName, says: "until the device is unlocked")
        source.close()
    }

    // MARK: Conflicts

    @Test func `are merged key by key`() throws {
        try suite.update(set: ["new": 1, "same": [1, 2], "other": "imported"])
        try export()
        try scratch.erase()
        let own: [String: PropertyListValue] = ["same": [1, 2], "other": "own", "more": 3]
        try suite.update(set: own)
        try edit(#""records":["#, to: ##""records":[{"key":"k","type":"Int","created":1,"updated":1,"content":1}"##)
        let error = try failure()
        error?.expect(.keyExists, key: "other", suite: suite.attachedName)
        #expect(error?.debugDescription.contains("own") == false)
        let target = try CodableCache(at: other, configuration: attached())
        var summary = try target.importAndWait(from: file, only: .keys([]), suites: [suite], onConflict: .newest)
        #expect(summary.settings == 1 && summary.keptSettings == 1 && summary.added == 0)
        try scratch.expect(["new": 1, "same": [1, 2], "other": "own", "more": 3])
        try suite.update(set: own, remove: ["new"])
        summary = try target.importAndWait(from: file, suites: [suite], onConflict: .replace)
        #expect("\(summary)" == "imported version 0: 1 added, 2 settings set")
        try scratch.expect(["new": 1, "same": [1, 2], "other": "imported", "more": 3])
        summary = try target.importAndWait(from: file, suites: [suite], onConflict: .keep)
        #expect(summary.settings == 0 && summary.keptSettings == 0 && summary.kept == 1)
        #expect(try StoreFile.state(at: other).journal.isEmpty)
        target.close()
    }

    // MARK: Refusals

    @Test func `are imported only if they are in the file and can be kept in a journal`() throws {
        try suite.update(set: ["a": 1])
        try export()
        try scratch.erase()
        let absent = try ScratchSuite()
        let configuration = MoltConfiguration { $0.suites = [suite, absent.suite] }
        let target = try CodableCache(at: other, configuration: configuration)
        MoltError.thrown { try target.importAndWait(from: file, suites: [suite, absent.suite]) }?
            .expect(.recordMissing, store: file.path, suite: absent.suite.attachedName, outcome: .unchanged)
        MoltError.thrown { try target.importAndWait(from: cache.url, suites: [suite]) }?
            .expect(.recordMissing, suite: suite.attachedName)
        try target.importAndWait(from: file)
        target.close()
        try scratch.expect([:])
        let plain = try CodableCache(at: other)
        MoltError.thrown { try plain.importAndWait(from: file, suites: [suite]) }?
            .expect(.suiteNotNamed, suite: suite.attachedName, outcome: .unchanged)
        plain.close()
        let memory = try CodableCache(inMemory: [], configuration: attached())
        MoltError.thrown { try memory.importAndWait(from: file, suites: [suite]) }?.expect(.unsupported)
        try suite.update(set: ["b": 1])
        #expect(try memory.exportAndWait(to: file, suites: [suite]).settings == 1)
        memory.close()
    }

    @Test(arguments: [
        (#"{"int":1}"#, "777777.5", "777777.5"), (#"{"int":1}"#, #"{"int":1.5}"#, #"{"int":1.5"#),
        (#"{"int":1}"#, "null", "null"), (#"{"int":1}"#, #"{"data":"!"}"#, #"{"data"#),
        (#""a":{"int":1}"#, #""molt.ledger":"x""#, #""x""#), (#""a":{"int":1}"#, #""a":"x","a":"y""#, #""a":"y""#),
        (#""migrations":[]"#, #""migrations":[1]"#, #"{"migr"#), (#""migrations":[],"#, "", #"{"values"#),
        (#"{"int":1}"#, #"{"dictionary":{"k":"x","k":"y"}}"#, #""k":"y""#),
        (#"{"int":1}"#, "[{\"dictionary\":{\"\u{E9}\":true,\"e\u{301}\":false}}]", "\"e\u{301}\":false"),
        (#"{"a":{"int":1}}"#, "[ ]", "[ ]"), (#"{"migrations":[],"values":{"a":{"int":1}}}"#, #""text""#, #""text""#),
    ])
    func `that are malformed have a place`(text: String, new: String, place: String) throws {
        try suite.update(set: ["a": 1])
        try export()
        try edit(text, to: new)
        let all = try String(contentsOf: file, encoding: .utf8)
        let settings = try #require(all.range(of: "\"settings\"")).upperBound
        let start = try #require(all.range(of: place, range: settings..<all.endIndex)).lowerBound
        let offset = all.utf8.distance(from: all.startIndex, to: start)
        try failure()?.expect(.malformedExport, store: file.path, says: "at byte \(offset).")
    }

    @Test func `that a suite cannot hold fail before anything is written`() throws {
        try suite.update(set: ["a": 1])
        try export()
        try scratch.erase()
        try edit(#"{"int":1}"#, to: #"[{"date":"inf"}]"#)
        #if os(Linux)
            try failure()?.expect(.cannotStore, key: "a")
        #endif
    }
}

extension ScratchSuite {
    /// Removes all settings and the ledger.
    func erase() throws {
        try suite.write(set: [:], remove: Set(allValues.keys))
    }
}
