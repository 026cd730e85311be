import Foundation
import Molt
import Testing

@Suite("A name that no record has")
struct UnmatchedNameTests {
    private static let people = (0..<30).map {
        StoredRecord("Person", "p\($0)", #"{"fullName":"s3cret","home":{"zip":1}}"#)
    }

    private static let adaAndOthers = [
        StoredRecord("Person", "ada", #"{"name":"Ada King Lovelace","born":"1815","tags":["old",1]}"#),
        StoredRecord("Person", "plato", #"{"name":"Plato","born":null,"at":[{"zip":1},{"zip":2}]}"#),
        StoredRecord("Person", "eve", #"{"born":1999,"tags":[]}"#),
        StoredRecord("City", "rome", #"{"name":"Roma Aeterna"}"#),
    ]

    /// The names that an upgrade reports, a text for each step with a line for each name.
    private func names(_ steps: MigrationStep..., records: [StoredRecord] = people) async throws -> [String] {
        let report = try await OldStore(records, through: .inMemory)
            .upgrade([Migration(to: 1, "change", steps: steps)])
        let text = report.description
        #expect(!text.contains("s3cret"))
        return try report.entries[0].steps.map { step in
            let names = step.unmatchedNames
            let members = try JSONSerialization.jsonObject(with: JSONEncoder().encode(step)) as? [String: Any]
            #expect(members?["unmatchedNames"] as? [String] == names)
            for name in names where !text.contains("\nchange: \(name)") { Issue.record("\(name) is not in \(text)") }
            return names.joined(separator: "\n")
        }
    }

    @Test func `is reported with the nearest existing name, or the way to write a path`() async throws {
        let names = try await names(
            .renameProperty("Person", "fullNme", to: "name"),
            .removeProperty("Person", ["home", "zipp"]),
            .removeProperty("Person", ["hone", "zip"]),
            .removeProperty("Person", "home.zip"),
            .moveProperty("Person", "FullName", to: ["x", "y"]),
            .removeProperty("Person", "fax"),
            .transform("Persn") { $0.drop() },
            .renameType("Peson", to: "Human"),
            .deleteType("Address")
        )
        let what = #"does not occur in any of 30 records of type "Person""#
        let expected: [String] = [
            #""fullNme" \#(what); did you mean "fullName"?"#,
            #""home.zipp" \#(what); did you mean ["home", "zip"]?"#,
            #""hone.zip" \#(what); did you mean ["home", "zip"]?"#,
            #""home.zip" \#(what); a dot does not separate names; write the path as ["home", "zip"]"#,
            #""FullName" \#(what); did you mean "fullName"?"#,
            #""fax" \#(what)"#,
            #"no record of type "Persn"; did you mean "Person"?"#,
            #"no record of type "Peson"; did you mean "Person"?"#,
            #"no record of type "Address""#,
        ]
        #expect(names == expected)
    }

    @Test func `is reported for each of the properties that are joined`() async throws {
        let records = [
            StoredRecord("Person", "ada", #"{"first":"Ada","last":"King","title":null}"#),
            StoredRecord("Person", "eve", #"{"first":"Eve"}"#),
        ]
        let names = try await names(
            .renameProperty("Person", "first", to: "given"),
            .joinProperties("Person", ["title", "given", "lst"], into: "name"),
            .joinProperties("Person", ["name", "last"], into: "name"),
            records: records
        )
        let expected = #""lst" does not occur in any of 2 records of type "Person"; did you mean "last"?"#
        #expect(names == ["", expected, ""])
    }

    @Test func `is reported with the name that Swift gives to a type, and also if it is no name at all`() async throws {
        let cases: [(written: String, name: String?)] = [
            ("[Hike]", "Array<Hike>"), ("[String: Hike]", "Dictionary<String, Hike>"), ("Hike?", "Hike"),
            ("App.Hike", "Hike"), ("Page", "Page<Hike>"), ("[Hike?]", "Array<Hike>"), ("Draft", "Array<Draft>"),
            ("[String: [Int: Hike]]", "Dictionary<String, Dictionary<Int, Hike>>"),
            ("[]", nil), ("[:]", nil), ("?", nil), (".", nil),
        ]
        for (written, name) in cases {
            let names = try await names(.deleteType(written), records: [StoredRecord(name ?? "Person", "key", "{}")])
            let advice = name.map { #"; did you mean "\#($0)"?"# } ?? ""
            #expect(names == [#"no record of type "\#(written)"\#(advice)"#])
        }
    }

    @Test func `is reported once for a type that the steps rename, and for one that a block uses`() async throws {
        let renamed = try await names(
            .renameType("Author", to: "Writer"),
            .renameProperty("Writer", "mail", to: "email"),
            .renameType("Writer", to: "Poet"),
            .removeProperty("Poet", "fax"),
            .removeProperty("Poem", "fax")
        )
        #expect(renamed == [#"no record of type "Author""#, "", "", "", #"no record of type "Poem""#])

        let used = try await names(
            .run { migration in
                for _ in 0..<3 { try migration.enumerate("Persn") { _, _ in } }
                try migration.renameType("Alien", to: "Human")
                try migration.deleteAll(ofType: "Persons")
                try migration.renameProperty("Person", "fullName", to: "name")
            }
        )
        let expected = """
            no record of type "Persn"; did you mean "Person"?
            no record of type "Alien"
            no record of type "Persons"; did you mean "Person"?
            """
        #expect(used == [expected])
    }

    @Test func `is reported with the nearest name that the same upgrade has renamed or removed`() async throws {
        let names = try await names(
            .renameProperty("Person", "fulName", to: "name"),
            .renameProperty("Person", "fullName", to: "title"),
            .removeProperty("Person", ["home", "zap"]),
            .removeProperty("Person", ["home", "zip"])
        )
        let expected: [String] = [
            #""fulName" does not occur in any of 30 records of type "Person"; did you mean "fullName"?"#, "",
            #""home.zap" does not occur in any of 30 records of type "Person"; did you mean ["home", "zip"]?"#, "",
        ]
        #expect(names == expected)
    }

    @Test func `is not reported when every name was found, or when the store has no records`() async throws {
        let right = try await names(
            .renameProperty("Person", "fullName", to: "name"),
            .removeProperty("Person", "name"),
            .addProperty("Person", ["home", "zip"], default: 1),
            .renameType("Person", to: "Human"),
            .removeProperty("Human", ["home", "zip"]),
            .transform("Human") { $0.typeName = "Alien" },
            .transform("Alien") { $0["seen"] = true },
            .renameType("Alien", to: "Martian"),
            .deleteType("Martian")
        )
        let empty = try await names(.renameType("Alien", to: "Person"), .removeProperty("Person", "fax"), records: [])
        #expect((right + empty).joined() == "")
    }

    @Test func `is not reported for a property whose values stay as they are, and for a path is`() async throws {
        let names = try await names(
            .mapValue("Person", "name", ["x": "y"]),
            .changeValue("City", "name", to: .string),
            .mapValue("Person", "nam", ["x": "y"]),
            .renameProperty("Person", ["tags", "x"], to: "y"),
            .changeValue("Person", ["tgs", .each], to: .string),
            .renameProperty("Person", ["at", "zip"], to: "code"),
            .extractRecords("Person", ["ats", .each], as: "Address", key: .derived),
            records: Self.adaAndOthers
        )
        let null = [StoredRecord("Person", "ada", #"{"phones":null}"#)]
        #expect(try await self.names(.changeDictionary("Person", "phones", to: .object), records: null) == [""])
        let what = #"does not occur in any of 3 records of type "Person""#
        let expected: [String] = [
            "", "", #""nam" \#(what); did you mean "name"?"#, #""tags.x" \#(what)"#,
            #""tgs[]" \#(what); did you mean ["tags", .each]?"#,
            #""at.zip" \#(what); did you mean ["at", .each, "zip"]?"#, #""ats[]" \#(what)"#,
        ]
        #expect(names == expected)
    }

    @Test func `is not reported for a property that later steps remove`() async throws {
        let cases: [[MigrationStep]] = [
            [.changeValue("Person", "name", to: .string), .renameProperty("Person", "name", to: "n")],
            [.mapValue("Person", "name", ["x": "y"]), .removeProperty("Person", "name")],
            [.mapValue("Person", "name", ["x": "y"]), .splitProperty("Person", "name", into: ["a", "b"])],
            [.mapValue("Person", "name", ["x": "y"]), .deleteType("Person")],
            [.mapValue("Person", "name", ["x": "y"]), .renameType("Person", to: "Human")],
            [.mapValue("Person", "name", ["x": "y"]), .transform("Person") { try $0.remove("born") }],
            [.copyProperty("Person", "name", to: "nick"), .joinProperties("Person", ["name", "nick"], into: "name")],
        ]
        for steps in cases {
            let one = MigrationRegistry([Migration(to: 1, "change", steps: steps)])
            let several = MigrationRegistry(steps.enumerated().map { Migration(to: $0 + 1, "m\($0)", $1) })
            for registry in [one, several] {
                let report = try await OldStore(Self.adaAndOthers, through: .inMemory).upgrade(registry)
                let names = report.entries.flatMap(\.steps).flatMap(\.unmatchedNames)
                #expect(names.isEmpty, "\(names)")
            }
        }
    }

    @Test func `is reported whatever later steps do to other types`() async throws {
        let cases: [MigrationStep] = [
            .transform("City") { $0["seen"] = true }, .transform("City") { $0.drop() },
            .renameProperty("City", "name", to: "title"), .renameType("City", to: "Town"), .deleteType("City"),
            .renameType("Person", to: "Human"),
        ]
        let expected = #""nam" does not occur in any of 3 records of type "Person"; did you mean "name"?"#
        for later in cases {
            let names = try await names(.mapValue("Person", "nam", ["x": "y"]), later, records: Self.adaAndOthers)
            #expect(names[0] == expected, "\(later)")
        }
    }

    @Test func `is reported if an earlier migration of the same upgrade has changed the name`() async throws {
        let report = try await OldStore(Self.adaAndOthers).upgrade([
            Migration(to: 1, "rename", .renameProperty("Person", "born", to: "birthYear")),
            Migration(to: 2, "change", .changeValue("Person", "born", to: .integer)),
            Migration(to: 3, "split", .splitProperty("Person", "name", into: ["a", "b"])),
            Migration(to: 4, "copy", .copyProperty("Person", "name", to: "c")),
        ])
        let names = report.entries.flatMap { entry in
            entry.steps[0].unmatchedNames.map { "\(entry.migration.name): \($0)" }
        }
        let expected: [String] = [
            #"change: "born" does not occur in any of 3 records of type "Person""#,
            #"copy: "name" does not occur in any of 3 records of type "Person""#,
        ]
        #expect(names == expected)
    }

    @Test func `is not reported when the records that have it failed because the new name was taken`() async throws {
        let report = try await OldStore(
            [StoredRecord("Person", "a", #"{"mail":1,"email":2}"#), StoredRecord("Person", "b", "{}")]
        ).upgrade([Migration(to: 1, "change", .renameProperty("Person", "mail", to: "email").onFailure(.quarantine()))])
        #expect(report.counts.quarantined == 1)
        #expect(report.entries[0].steps[0].unmatchedNames.isEmpty)
    }

    @Test func `is looked for only in debug builds, dry runs and tests`() async throws {
        let store = try OldStore(Self.people)
        let migrations = registry(
            .mapValue("Person", "fullNme", ["x": "y"]),
            .deleteType("Persn"),
            .run { try $0.enumerate("Persn") { _, _ in } }
        )
        let configuration = MoltConfiguration { $0.hooks.findsUnmatchedNames = false }
        func counts(_ report: MigrationReport) -> [Int] { report.entries[0].steps.map(\.unmatchedNames.count) }
        let dryRun = try await CacheFile(at: store.url).dryRun(migrations, configuration: configuration)
        let cache = try CodableCache(at: store.url, migrations: migrations, configuration: configuration)
        #expect(counts(dryRun) + counts(cache.report) == [1, 1, 1, 0, 0, 0])
    }

    @Test func `is not said to mean a key of a dictionary in a record`() async throws {
        let records = (0..<4).map { number in
            StoredRecord("Person", "p\(number)", #"{"phones":{"secret \#(number % 2)":1},"home":{"zip":1}}"#)
        }
        let phones = MigrationStep.removeProperty("Person", ["phones", "secret 9"])
        let several = try await names(phones, .removeProperty("Person", ["home", "zap"]), records: records)
        let one = try await names(phones, records: [records[0]])
        let expected: [String] = [
            #""phones.secret 9" does not occur in any of 4 records of type "Person""#,
            #""home.zap" does not occur in any of 4 records of type "Person"; did you mean ["home", "zip"]?"#,
            #""phones.secret 9" does not occur in the only record of type "Person""#,
        ]
        #expect(several + one == expected)
    }

    /// Work that grows with the square of their number would take minutes.
    @Test func `is looked for among a constant number of names`() async throws {
        let records = (0..<20).map { number in
            let keys = (0..<2_000).map { #""key-\#(number)-\#($0)":1"# }.joined(separator: ",")
            return StoredRecord("Person", "p\(number)", #"{"name":1,"scores":{\#(keys)},\#(keys)}"#)
        }
        let found = try await names(
            .removeProperty("Person", ["scores", "key"]),
            .removeProperty("Person", ["scoers", "key"]),
            .removeProperty("Person", "nmae"),
            records: records
        )
        let expected: [String] = [
            #""scores.key" does not occur in any of 20 records of type "Person""#,
            #""scoers.key" does not occur in any of 20 records of type "Person"; did you mean ["scores", "key"]?"#,
            #""nmae" does not occur in any of 20 records of type "Person"; did you mean "name"?"#,
        ]
        #expect(found == expected)
    }

    @Test(arguments: [255, 256])
    func `is compared with the first 256 names of a record, and with a thousand types of its length`(
        count: Int
    ) async throws {
        let others = (0..<count).map { #""other-\#($0)":1,"# }.joined()
        let records = (0..<3).map { StoredRecord("Person", "p\($0)", "{\(others)\"fullName\":1}") }
        let found = try await names(.removeProperty("Person", "fullNme"), records: records)
        let isFound = count < 256
        #expect(found[0].hasSuffix(#"did you mean "fullName"?"#) == isFound, "\(found)")

        let types = (0..<(isFound ? 999 : 1_000)).map { String(format: "%07d", $0) } + ["Persona"]
        let nearest = MigrationReport.UnmatchedName.nearest(to: "Persina", among: types)
        #expect(nearest == (isFound ? "Persona" : nil))
    }

    @Test func `is not looked for in an import`() async throws {
        let store = try OldStore(Self.people)
        let cache = try CodableCache(
            inMemory: registry(.removeProperty("Person", "fullNme"), .renameProperty("Person", "fullName", to: "name"))
        )
        let summary = try await cache.import(from: store.url)
        #expect(summary.added == 30)
        #expect(summary.report.entries.first?.steps.map(\.unmatchedNames.count) == [0, 0])
    }

    @Test func `has a nearest name only if at most a third of its letters differ`() {
        let cases: [(name: String, nearest: String?)] = [
            ("Persn", "Person"), ("Preson", "Person"), ("person", "Person"), ("Persons", "Person"), ("Peron", "Person"),
            ("Dog", nil), ("", nil), ("Citty", "City"), ("a", nil), ("Address", nil),
        ]
        for (name, nearest) in cases {
            let found = MigrationReport.UnmatchedName.nearest(
                to: name,
                among: ["City", "Person", "Pirson", "Document"]
            )
            #expect(found == nearest, "\(name)")
        }
    }

    #if CHILD_PROCESSES
        @Test func `is printed to standard error in debug builds if it has a nearest name`() async throws {
            let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let scratch = try ScratchDirectory()
                defer { withExtendedLifetime(scratch) {} }
                let cache = try CodableCache(at: scratch.file())
                try cache.set(["fullName": "s3cret"], forKey: "ada")
                cache.close()
                let type = RecordTypeName.of([String: String].self)
                try CodableCache(
                    at: scratch.file(),
                    migrations: [
                        Migration(to: 1, "one", .removeProperty(type, "fullNme")),
                        Migration(to: 2, "two", .removeProperty(type, "fax")),
                    ]
                ).close()
            }
            let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
                .filter { $0.hasPrefix("Molt: warning: ") }
            #if DEBUG
                #expect(
                    lines == [
                        #"Molt: warning: migration "one" (version 1): "fullNme" does not occur in the only record of type "#
                            + #""Dictionary<String, String>"; did you mean "fullName"?"#
                    ]
                )
            #else
                #expect(lines.isEmpty)
            #endif
        }
    #endif
}
