import Foundation
import Molt
import Testing

@Suite("Reports as text and as JSON")
struct MigrationReportTests {
    private let report: MigrationReport

    init() {
        func counts(_ read: Int, _ changed: Int = 0, dropped: Int = 0) -> MigrationReport.Counts {
            var counts = MigrationReport.Counts()
            (counts.read, counts.changed, counts.dropped) = (read, changed, dropped)
            return counts
        }
        var rename = MigrationReport.Step(summary: "rename A.x to y")
        rename.counts = counts(1_234_567, 900)
        var delete = MigrationReport.Step(summary: "delete the type B")
        delete.counts = counts(0, dropped: 12)
        var first = MigrationReport.Entry(MigrationID(name: "a", version: 1), .ran, steps: [rename, delete])
        first.duration = 0.0104
        first.counts = counts(1_234_567, 900, dropped: 12)
        let second = MigrationReport.Entry(MigrationID(name: "b", version: 2), .replaced)
        var report = MigrationReport(
            store: "people.molt",
            from: 0,
            to: 2,
            isFresh: false,
            startedAt: Date(timeIntervalSinceReferenceDate: 0)
        )
        report.duration = 1.239
        report.entries = [first, second]
        self.report = report
    }

    @Test func `A report prints as a table of the migrations that ran`() {
        #expect(
            report.description == """
                people.molt: version 0 to 2 in 1.24 s
                version  migration                 read  changed  dropped  created  ≈ time
                -------  -------------------  ---------  -------  -------  -------  ------
                      1  a                    1 234 567      900       12        0   10 ms
                           rename A.x to y    1 234 567      900        0        0
                           delete the type B          0        0       12        0
                """
        )
    }

    @Test func `A report has a quarantine column only if records are in quarantine`() {
        var report = report
        report.entries[0].counts.quarantined = 3
        #expect(report.description.contains("created  quarantined  ≈ time"))
        #expect(report.description.contains("    0            3   10 ms"))
    }

    @Test func `A report adds up the counts of its migrations`() {
        #expect(report.counts.description == "1234567 read, 900 changed, 12 dropped")
        #expect(!report.isEmpty)
    }

    @Test func `A report is encoded for a tool to read from a log`() throws {
        let none = #"{"changed":0,"created":0,"dropped":0,"handedOver":0,"quarantined":0,"read":0}"#
        let lists = #""failedRecords":[],"keys":[],"losses":[]"#
        let text = """
            {"deferred":[],"duration":1.239,"entries":[\
            {"attachedCounts":{},"counts":{"changed":900,"created":0,"dropped":12,"handedOver":0,"quarantined":0,\
            "read":1234567},"duration":0.0104,"migration":{"name":"a","version":1},"outcome":"ran","steps":[\
            {"counts":{"changed":900,"created":0,"dropped":0,"handedOver":0,"quarantined":0,"read":1234567},\(lists),\
            "summary":"rename A.x to y","unmatchedNames":[]},\
            {"counts":{"changed":0,"created":0,"dropped":12,"handedOver":0,"quarantined":0,"read":0},\(lists),\
            "summary":"delete the type B","unmatchedNames":[]}]},\
            {"attachedCounts":{},"counts":\(none),"duration":0,"migration":{"name":"b","version":2},\
            "outcome":"replaced","steps":[]}],"expiredCount":0,"from":0,"isDryRun":false,"isFresh":false,\
            "isNewer":false,"isReadOnly":false,"notes":[],"onRead":[],"otherStores":[],"seeds":[],"startedAt":0,\
            "store":"people.molt",\
            "to":2,"work":[]}
            """
        #expect(try sortedJSON(report) == text)
    }

    @Test func `A report without migrations is one line`() {
        var report = report
        report.from = 2
        report.entries = []
        #expect(report.isEmpty)
        #expect(report.description == "people.molt: up to date at version 2")
    }
}
