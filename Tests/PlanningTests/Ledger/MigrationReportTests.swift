import Foundation
import Molt
import Testing

@Suite("Reports as text and as JSON")
struct MigrationReportTests {
    private let report: MigrationReport

    init() throws {
        // As a tool would read it from a log.
        let none = #"{"read":0,"changed":0,"dropped":0,"created":0,"quarantined":0}"#
        let json = """
            {"store":"people.molt","from":0,"to":2,"isFresh":false,"startedAt":0,"duration":1.239,"expiredCount":0,"deferred":[],"onRead":[],"isDryRun":false,"isReadOnly":false,"entries":[
              {"migration":{"name":"a","version":1},"outcome":"ran","duration":0.0104,
               "counts":{"read":1234567,"changed":900,"dropped":12,"created":0,"quarantined":0},
               "attachedCounts":{},
               "steps":[
                 {"summary":"rename A.x to y",
                  "counts":{"read":1234567,"changed":900,"dropped":0,"created":0,"quarantined":0},"keys":[],"failedRecords":[],"unmatchedNames":[],"losses":[]},
                 {"summary":"delete the type B",
                  "counts":{"read":0,"changed":0,"dropped":12,"created":0,"quarantined":0},"keys":[],"failedRecords":[],"unmatchedNames":[],"losses":[]}]},
              {"migration":{"name":"b","version":2},"outcome":"replaced","duration":0,"counts":\(none),
               "attachedCounts":{},"steps":[]}]}
            """
        report = try JSONDecoder().decode(MigrationReport.self, from: Data(json.utf8))
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

    @Test func `A report adds up the counts of its migrations, and is decoded from JSON unchanged`() throws {
        #expect(report.counts.description == "1234567 read, 900 changed, 12 dropped")
        #expect(!report.isEmpty)
        let json = try JSONEncoder().encode(report)
        #expect(try JSONDecoder().decode(MigrationReport.self, from: json) == report)
    }

    @Test func `A report without migrations is one line`() {
        var report = report
        report.from = 2
        report.entries = []
        #expect(report.isEmpty)
        #expect(report.description == "people.molt: up to date at version 2")
    }
}
