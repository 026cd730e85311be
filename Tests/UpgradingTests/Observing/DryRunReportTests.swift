import Foundation
import Molt
import Testing

@Suite("The report of a dry run")
struct DryRunReportTests {
    private struct Person: Codable {
        var name: String
        var fax: String?
    }

    private struct Draft: Codable {
        var text: String
    }

    private struct NewPerson: Codable {
        var name: String
    }

    private let scratch: ScratchDirectory
    private let url: URL

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
        let cache = try CodableCache(at: url)
        for number in 1...30 {
            let person = Person(name: "Ada \(number)", fax: number <= 7 ? "+1 \(number)" : nil)
            try cache.set(person, forKey: "person-\(number)")
        }
        for number in 1...3 { try cache.set(Draft(text: "draft \(number)"), forKey: "draft-\(number)") }
        cache.close()
    }

    private func dryRun(samples: Int = 0, _ steps: MigrationStep...) throws -> MigrationReport {
        let migration = Migration(to: 1, "first", steps: steps)
        return try CacheFile(at: url).dryRunAndWait([migration], samples: samples)
    }

    @Test func `shows the first records that a step changed, before and after`() throws {
        let report = try dryRun(
            samples: 2,
            .transform("Person") { person in
                if person.key == "person-1" { return }
                let parts = try person.remove("name", as: String.self).split(separator: " ")
                person["first"] = .string(parts[0])
                person["number"] = .string(parts[1])
            }
        )
        let sample = try #require(report.entries[0].steps[0].samples.first)
        #expect(sample.before?.object?["name"] == "Ada 2" && sample.after?.object?["name"] == nil)
        #expect(sample.after?.object?["first"] == "Ada")
        #expect(
            report.description.hasSuffix(
                """

                first: transform Person
                  "person-2" of type Person
                    - name: "Ada 2"
                    + first: "Ada"
                    + number: "2"
                  "person-3" of type Person
                    - name: "Ada 3"
                    + first: "Ada"
                    + number: "3"
                """
            )
        )
    }

    @Test func `shows each step's own effect, although the steps share one pass`() throws {
        let report = try dryRun(
            samples: 1,
            .renameProperty("Person", "name", to: "fullName"),
            .renameType("Person", to: "Human"),
            .addProperty("Human", ["address", "city"], default: "London", creatingObjects: true),
            .deleteType("Draft")
        )
        let samples = report.entries[0].steps.map { $0.samples.map(\.description).joined(separator: "\n") }
        let expected = [
            "\"person-1\" of type Person\n  - name: \"Ada 1\"\n  + fullName: \"Ada 1\"",
            "",
            "\"person-1\" of type Human\n  + address.city: \"London\"",
            "\"draft-1\" of type Draft, deleted\n  - text: \"draft 1\"",
        ]
        #expect(samples == expected)
    }

    @Test func `shows what a block changes, creates and deletes`() throws {
        let report = try dryRun(
            samples: 10,
            .run { migration in
                try migration.enumerate("Draft") { old, new in
                    if old.key == "draft-1" { return new.drop() }
                    new["text"] = "changed"
                    if old.key == "draft-3" { new.key = "last" }
                }
                try migration.create("Note", forKey: "note", ["text": "new"] as RecordValue)
                _ = try migration.delete("draft-2")
            }
        )
        let step = report.entries[0].steps[0]
        let samples = Set(step.samples.map(\.description))
        let expected: Set<String> = [
            "\"draft-1\" of type Draft, deleted\n  - text: \"draft 1\"",
            "\"draft-2\" of type Draft\n  - text: \"draft 2\"\n  + text: \"changed\"",
            "\"draft-2\" of type Draft, deleted\n  - text: \"changed\"",
            "\"draft-3\" of type Draft, now \"last\"\n  - text: \"draft 3\"\n  + text: \"changed\"",
            "\"note\" of type Note, created\n  + text: \"new\"",
        ]
        #expect(samples == expected)
        #expect(step.losses == [MigrationReport.DataLoss(.records, "Draft", count: 2)])
        // A block without a label is named once.
        #expect(report.description.contains("\n\nfirst\n  \""))
    }

    @Test func `names the records that a migration cannot convert, and shows nothing that it did to them`() throws {
        let migrations: MigrationRegistry = [
            Migration(to: 1, "before", .addProperty("Draft", "before", default: 1)),
            Migration(
                to: 2,
                "fails",
                .transform("Draft") { try $0.remove("text") },
                .transform("Draft") { if $0.key == "draft-1" { throw Refusal() } }
            ),
        ]
        let quarantining = migrations.onFailure(.quarantine())
        let report = try CacheFile(at: url).dryRunAndWait(quarantining, samples: 9)
        let keys = report.entries.map { $0.steps[0].samples.map(\.key) }
        #expect(keys == [["draft-1", "draft-2", "draft-3"], ["draft-2", "draft-3"]])
        #expect(report.losses == [MigrationReport.DataLoss(.property, "Draft.text", count: 2)])
        #expect(try StoreFile.quarantine(at: url) == [])
        let upgraded = try CodableCache(at: url, migrations: quarantining).report
        #expect(upgraded.counts.quarantined == 1)
        #expect(report.failedRecords == upgraded.failedRecords)
        #expect(report.counts == upgraded.counts)
    }

    @Test func `shows no values unless it is asked for them, and encodes none`() throws {
        let step = MigrationStep.renameProperty("Person", "name", to: "fullName")
        #expect(try !dryRun(step).description.contains("Ada"))
        let shown = try dryRun(samples: 1, step)
        #expect(shown.description.contains("Ada 1"))
        let coded = String(decoding: try JSONEncoder().encode(shown), as: UTF8.self)
        #expect(!coded.contains("Ada"))
    }

    @Test func `lists what is removed, with the number of records`() throws {
        let migrations: MigrationRegistry = [
            Migration(to: 1, "fax", .removeProperty("Person", "fax")),
            Migration(
                to: 2,
                "drop",
                .transform("Person") { if $0.key.hasSuffix("9") { $0.drop() } },
                .deleteType("Draft"),
                .removeProperty("Person", "pager")
            ),
        ]
        let plan = try CacheFile(at: url).plan(migrations)
        #expect(plan.description.hasSuffix("\n  removes: Person.fax; all records of type Draft; Person.pager"))

        let expected = [
            MigrationReport.DataLoss(.property, "Person.fax", count: 7),
            MigrationReport.DataLoss(.records, "Person", count: 3),
            MigrationReport.DataLoss(.records, "Draft", count: 3),
        ]
        let dry = try CacheFile(at: url).dryRunAndWait(migrations)
        #expect(dry.losses == expected)
        let lines = """

            fax: removed Person.fax in 7 records
            drop: removed 3 records of type Person; 3 records of type Draft
            """
        #expect(dry.description.contains(lines))
        #expect(try CodableCache(at: url, migrations: migrations).report.losses == expected)
        #expect(try CacheFile(at: url).plan(migrations).losses.isEmpty)
    }

    @Test func `lists values that a conversion replaces, apart from what is removed`() throws {
        let migrations = registry(
            .changeValue("Person", "name", to: .integer, otherwise: .value(0)),
            .removeProperty("Person", "fax")
        )
        let plan = try CacheFile(at: url).plan(migrations)
        let words = "\n  removes: Person.fax\n  replaces by a conversion: values of Person.name"
        #expect(plan.description.hasSuffix(words))
        let report = try CacheFile(at: url).dryRunAndWait(migrations)
        #expect(report.losses.first == MigrationReport.DataLoss(.values, "Person.name", count: 30))
        let lines = """

            change: removed Person.fax in 7 records
            change: replaced by a conversion: values of Person.name in 30 records
            """
        #expect(report.description.contains(lines))
    }

    @Test func `lists the properties that closures lose`() throws {
        let report = try dryRun(.convert("Person", from: Person.self, to: NewPerson.self) { NewPerson(name: $0.name) })
        #expect(report.losses == [MigrationReport.DataLoss(.converted, "Person.fax", count: 7)])
        #expect(report.description.contains("\nfirst: replaced by a conversion: Person.fax in 7 records"))
        let removing: [MigrationStep] = [
            .transform("Draft") { $0["text"] = $0["txet"] },
            .run { try $0.enumerate("Draft") { _, new in try new.remove("text") } },
        ]
        let removed = [MigrationReport.DataLoss(.property, "Draft.text", count: 3)]
        for step in removing { #expect(try dryRun(step).losses == removed, "\(step)") }
    }
}
