import Foundation
import TestSupport
import Testing

@testable import Molt

@Suite("Samples of settings in a dry run") struct SettingSampleTests {
    @Test func `show each step's own changes, and write nothing`() throws {
        let scratch = try ScratchSuite(["theme": "dark", "volume": 3, "other": true])
        let suite = scratch.suite
        let migrations: MigrationRegistry = [
            Migration(to: 1, "rename", .renameKey("theme", to: "appearance", in: suite)),
            Migration(
                to: 2,
                "change",
                .settings(in: suite) { settings in
                    try settings.set("light", forKey: "appearance")
                    try settings.set(["left": 3, "since": .date(Date(timeIntervalSince1970: 0))], forKey: "volume")
                }
            ),
            Migration(to: 3, "remove", .removeKeys("other", in: suite)),
        ]
        let report = try suite.dryRun(of: migrations, samples: 5)
        let samples = report.entries.map { $0.steps[0].samples.map(\.description) }
        let name = suite.attachedName
        #expect(
            samples == [
                [
                    "\"appearance\" of \(name), created\n  + \"dark\"", "\"theme\" of \(name), deleted\n  - \"dark\"",
                ],
                [
                    "\"appearance\" of \(name)\n  - \"dark\"\n  + \"light\"",
                    "\"volume\" of \(name)\n  - 3\n  + left: 3\n  + since: \"1970-01-01T00:00:00Z\"",
                ],
                ["\"other\" of \(name), deleted\n  - true"],
            ]
        )
        #expect(report.losses == [MigrationReport.DataLoss(.setting, "other")])
        #expect(try scratch.values == ["theme": "dark", "volume": 3, "other": true])
        #expect(try suite.dryRun(of: migrations).entries.allSatisfy { $0.steps.allSatisfy(\.samples.isEmpty) })
    }
}
