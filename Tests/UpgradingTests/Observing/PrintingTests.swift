import Foundation
import Molt
import Testing

@Suite("The printed form of events, errors and history")
struct PrintingTests {
    private static let records = [StoredRecord("Person", "ada", #"{"a":"s3cret"}"#)]

    private let lines = Log<String>()

    private var configuration: MoltConfiguration {
        .init { $0.monitor = MigrationMonitor { [lines] in lines.append("\($0)") } }
    }

    @Test func `Each event is printed as a sentence`() async throws {
        let store = try OldStore(Self.records)
        var configuration = configuration
        configuration.backup = BackupPolicy(keep: 1)
        var registry = MigrationRegistry()
        registry.register(to: 1, "number-people") { try $0.enumerate("Person") { _, new in new["n"] = 1 } }
        registry.register(Migration(to: 2, "no-step"))

        try await store.upgrade(registry, configuration)

        let path = store.url.path
        let events = lines.all
        #expect(events[0] == "Planned: \(path): version 0 to 2, 2 of 2 migrations to run.")
        #expect(events[1].hasPrefix("Backed up as cache.molt.v0-"))
        let last = try #require(events.last)
        #expect(last.hasPrefix("Finished: \(path): version 0 to 2 in ") && last.hasSuffix("s."))
        let others = [
            #"Migration "number-people" (version 1) begins."#, "100 % done.",
            #"Migration "number-people" (version 1) is done: 1 read, 1 changed."#,
            #"Migration "no-step" (version 2) is done."#,
        ]
        for line in others { #expect(events.contains(line), "\(line)") }
    }

    @Test func `A failure is printed as a sentence without a value`() async throws {
        let step = MigrationStep.transform("Person") { throw Refusal(value: try $0.string("a")) }
        _ = try? await OldStore(Self.records).upgrade(registry(step), configuration)

        let last = try #require(lines.all.last)
        #expect(last.hasPrefix("Failed: stepFailed: The step's closure threw an error"))
        #expect(!lines.all.joined().contains("s3cret"))
    }

    @Test func `Every part of a plan and of a report is printed as a line`() async throws {
        let store = try OldStore(Self.records)
        let registry: MigrationRegistry = [
            Migration(to: 1, "mark", .transform("Person") { $0["n"] = 1 }, .deleteType("Draft")),
            Migration(to: 2, "two"),
        ]
        #expect("\(registry)" == "\"mark\" (version 1): transform Person, delete the type Draft\n\"two\" (version 2)")
        let plan = try CacheFile(at: store.url).plan(registry)
        #expect("\(plan.entries)" == "[1  mark  (pending), 2  two  (pending)]")
        let report = try await store.upgrade(registry)
        let entry = report.entries[0]
        let text = "\(entry)"
        #expect(text.hasPrefix("\"mark\" (version 1): ran in ") && text.hasSuffix("s, 1 read, 1 changed"))
        #expect("\(entry.steps)" == "[transform Person: 1 read, 1 changed, delete the type Draft]")
        #expect("\(MigrationReport.Counts())" == "none")
        #expect("\(MigrationEvent.Progress(completed: 1234, total: 2468))" == "50 %, 1 234 of 2 468 records")
        let outcome = MigrationReport.KeyOutcome(store: "suite a", key: "k", outcome: .renamed, reason: "to l")
        #expect("\(outcome)" == "\"k\" of suite a: renamed: to l")
    }

    @Test func `A value is printed as JSON or as in source code`() {
        let value: RecordValue = ["a": [1, true, .null], "b": "c\n"]
        #expect("\(value)" == #"{"a":[1,true,null],"b":"c\n"}"#)
        let settings: PropertyListValue = ["b": [1, true, 0.5], "a": "c\n", "d": [:]]
        #expect("\(settings)" == #"["a": "c\n", "b": [1, true, 0.5], "d": [:]]"#)
        #expect("\(PropertyListValue.data(Data([1, 2])))" == "data, 2 B")
    }

    @Test func `A file's history is its ledger, with one line for each entry`() async throws {
        let store = try OldStore(Self.records)
        #expect(try CacheFile(at: store.url).history() == [])
        #expect(try CacheFile(at: store.directory.file("none")).history() == [])
        let mark = Migration(to: 1, "mark", .transform("Person") { $0["n"] = 1 })
        try await store.upgrade([mark], .init { $0.appVersion = "2.1" })
        let first = try CacheFile(at: store.url).history()
        try await store.upgrade([Migration(to: 2, "two", replacing: ["mark"])], .init { $0.appVersion = "2.2" })

        // Entries are added, and never changed.
        let history = try CacheFile(at: store.url).history()
        #expect(history.count == 2)
        #expect(Array(history.prefix(1)) == first)
        let time = history[0].appliedAt.formatted(.iso8601)
        let milliseconds = Int((history[0].duration * 1_000).rounded())
        let words = #""mark" (version 1): ran \#(time) in \#(milliseconds) ms, 1 read, 1 changed, by 2.1"#
        #expect("\(history[0])" == words)
        let second = "\(history[1])"
        #expect(second.hasPrefix(#""two" (version 2): counts as applied, because all that it replaces are, "#))
        #expect(second.hasSuffix(", by 2.2"))
    }
}
