import Foundation
import Molt
import Testing

@Suite struct `The JSON of a report` {
    private let store: OldStore
    private let notebook: Notebook
    private let migrations: MigrationRegistry

    init() throws {
        store = try OldStore([
            StoredRecord("Person", "ada", #"{"name":"Ada"}"#), StoredRecord("Person", "bob", #"{"name":1}"#),
            StoredRecord("Person", "cyd", #"{"name":"Cyd"}"#), StoredRecord("Token", "t", #"{"text":"t"}"#),
        ])
        let notebook = try Notebook(["old"])
        self.notebook = notebook
        func length(of name: String) -> MigrationStep {
            .transform("Person") { person in
                person["length"] = .int(Int64(try person.string("name").count))
            }
        }
        migrations = [
            Migration(to: 1, "length", length(of: "name").onFailure(.quarantine()), .removeProperty("Person", "nmae"))
                .afterCommit("tell the server") { _ in throw Refusal(value: "secret") },
            Migration(to: 1, "no-tokens", .deleteType("Token", erasing: true)),
            notebook.adding("a", to: 2),
            Migration(to: 3, "on-read", .removeProperty("Person", "length")).onRead(),
        ]
    }

    /// The report of an upgrade that leaves out no kind of part, with paths, dates and durations that do not change.
    private func report() throws -> MigrationReport {
        var configuration = MoltConfiguration()
        configuration.backup = BackupPolicy()
        var report = try notebook.whileClosed {
            let cache = try CodableCache(at: store.url, migrations: migrations, configuration: configuration)
            defer { cache.close() }
            return cache.report
        }
        report.store = "/tmp/people.molt"
        report.startedAt = Date(timeIntervalSinceReferenceDate: 0)
        report.duration = 1.5
        for index in report.entries.indices { report.entries[index].duration = 0.5 }
        for index in report.deferred.indices { report.deferred[index].reason = "It waits." }
        report.entries[0].neededBy = MigrationID(name: "on-read", version: 3)
        report.entries[0].attachedCounts = ["suite a": 2]
        report.entries[0].steps[0].keys = [
            MigrationReport.KeyOutcome(store: "suite a", key: "k", outcome: .kept, reason: "It is.", place: "[2].name"),
            MigrationReport.KeyOutcome(store: "suite a", key: "l", outcome: .alreadyCurrent),
        ]
        var seed = MigrationReport.Seed(name: "cities")
        (seed.added, seed.replaced, seed.unchanged, seed.kept) = (1, 2, 3, 4)
        (seed.leftDeleted, seed.removed, seed.expired, seed.quarantined) = (5, 6, 7, 8)
        report.seeds = [seed]
        report.space = DiskSpace(peak: 1_000, after: 2_000)
        report.expiredCount = 9
        report.movedFrom = "/tmp/old.molt"
        report.otherStores = ["/tmp/other.molt"]
        report.notes = ["A note."]
        report.copiesLeftBehind = report.erasure?.copies ?? []
        var copy = try #require(report.erasure?.copies.first)
        copy.url = URL(fileURLWithPath: "/tmp/people.molt.backup")
        copy.date = Date(timeIntervalSinceReferenceDate: 1)
        copy.size = 4_096
        copy.suites = ["suite a"]
        report.erasure?.copies = [copy]
        report.erasure?.reason = "A copy has them."
        return report
    }

    @Test func `has each part of the report, apart from samples and what is for Molt alone`() throws {
        let json = try sortedJSON(report())
        #expect(
            json == #"""
                {"deferred":[{"migration":{"name":"a","version":2},"reason":"It waits."}],"duration":1.5,\#
                "entries":[{"attachedCounts":{"suite a":2},"counts":{"changed":2,"created":0,"dropped":0,\#
                "handedOver":0,"quarantined":1,"read":3},"duration":0.5,"migration":{"name":"length","version":1},\#
                "neededBy":{"name":"on-read","version":3},"outcome":"ran","steps":[{"counts":{"changed":2,\#
                "created":0,"dropped":0,"handedOver":0,"quarantined":1,"read":3},\#
                "failedRecords":[{"code":"typeMismatch","key":"bob","outcome":"quarantined","property":"name",\#
                "reason":"\"name\": String expected, number found. \#
                Read the property as its stored type, and convert the value.",\#
                "type":"Person"}],"keys":[{"key":"k","outcome":"kept","place":"[2].name","reason":"It is.",\#
                "store":"suite a"},{"key":"l","outcome":"already current","store":"suite a"}],"losses":[],\#
                "summary":"transform Person","unmatchedNames":[]},{"counts":{"changed":0,"created":0,"dropped":0,\#
                "handedOver":0,"quarantined":0,"read":2},"failedRecords":[],"keys":[],"losses":[],\#
                "summary":"remove Person.nmae",\#
                "unmatchedNames":["\"nmae\" does not occur in any of 2 records of type \"Person\"; \#
                did you mean \"name\"?"]}]},\#
                {"attachedCounts":{},"counts":{"changed":0,"created":0,"dropped":1,"handedOver":0,"quarantined":0,\#
                "read":0},"duration":0.5,"migration":{"name":"no-tokens","version":1},"outcome":"ran",\#
                "steps":[{"counts":{"changed":0,"created":0,"dropped":1,"handedOver":0,"quarantined":0,"read":0},\#
                "failedRecords":[],"keys":[],"losses":[{"count":1,"kind":"records","name":"Token"}],\#
                "summary":"delete and erase the type Token","unmatchedNames":[]}]},{"attachedCounts":{},\#
                "counts":{"changed":0,"created":0,"dropped":0,"handedOver":0,"quarantined":0,"read":0},\#
                "duration":0.5,"migration":{"name":"a","version":2},"outcome":"deferred","steps":[]},\#
                {"attachedCounts":{},"counts":{"changed":0,"created":0,"dropped":0,"handedOver":0,"quarantined":0,\#
                "read":0},"duration":0.5,"migration":{"name":"on-read","version":3},"outcome":"onRead","steps":[]}],\#
                "erasure":{"copies":[{"attachedStores":["suite a"],"date":1,"isAutomatic":true,"recordCount":4,\#
                "schemaVersion":0,"size":4096,"url":"file:///tmp/people.molt.backup"}],"isComplete":true,\#
                "reason":"A copy has them."},"expiredCount":9,"from":0,"isDryRun":false,"isFresh":false,\#
                "isNewer":false,"isReadOnly":false,"movedFrom":"/tmp/old.molt","notes":["A note."],\#
                "onRead":[{"name":"on-read","version":3}],"otherStores":["/tmp/other.molt"],"seeds":[{"added":1,\#
                "expired":7,"kept":4,"leftDeleted":5,"name":"cities","quarantined":8,"removed":6,"replaced":2,\#
                "unchanged":3}],"space":{"after":2000,"peak":1000},"startedAt":0,"store":"/tmp/people.molt","to":3,\#
                "work":[{"migration":{"name":"length","version":1},"problem":"Refusal",\#
                "summary":"tell the server"}]}
                """#
        )
    }

    @Test func `lacks what is nil`() throws {
        var report = try report()
        for index in report.work.indices { report.work[index].problem = nil }
        report.erasure?.reason = nil
        report.erasure?.copies[0].recordCount = nil
        let (work, erasure) = try (sortedJSON(report.work), sortedJSON(report.erasure))
        #expect(work == #"[{"migration":{"name":"length","version":1},"summary":"tell the server"}]"#)
        #expect(
            erasure == #"""
                {"copies":[{"attachedStores":["suite a"],"date":1,"isAutomatic":true,"schemaVersion":0,"size":4096,\#
                "url":"file:///tmp/people.molt.backup"}],"isComplete":true}
                """#
        )
    }
}
