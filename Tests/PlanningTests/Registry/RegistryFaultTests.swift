import Foundation
import Molt
import Testing

@Suite("Faults of a registry")
struct RegistryFaultTests {
    private static let valid: [MigrationRegistry] = [
        [],
        [
            Migration(to: 1, "a", .renameType("Alien", to: "Person"), .renameProperty("Person", "mail", to: "email")),
            Migration(to: 1, "b"),
            Migration(to: 4, "c", .removeProperty("Person", "email"), .addProperty("Person", "email", default: "")),
        ],
        // Each migration is checked alone: a later one may use a name that an earlier one removed.
        [
            Migration(to: 1, "a", .removeProperty("A", "x"), .deleteType("B")),
            Migration(to: 2, "b", .renameProperty("A", "x", to: "y"), .transform("B") { _ in }),
        ],
        // Limits at their bounds, and blocks with a policy.
        [
            Migration(
                to: 1,
                "limits",
                .addProperty("A", "x", default: 1).onFailure(.quarantine(upTo: .init(count: 0, share: 1))),
                .run { _ in }.onFailure(.drop(upTo: .init(share: 0))),
                .convert("A", from: Int.self, to: Int.self) { $0 }.onFailure(.stop)
            )
        ],
    ]

    /// Steps that recreate, fill in or merge names.
    private static let recreating: [[MigrationStep]] = [
        [.removeProperty("A", "x"), .addProperty("A", "x", default: 1), .renameProperty("A", "x", to: "y")],
        [.removeProperty("A", "x"), .transform("A") { _ in }, .renameProperty("A", "x", to: "y")],
        [.removeProperty("A", "x"), .run { _ in }, .renameProperty("A", "x", to: "y")],
        [.renameProperty("A", "x", to: "t"), .renameProperty("A", "y", to: "x"), .renameProperty("A", "t", to: "y")],
        [.renameType("A", to: "T"), .renameType("B", to: "A"), .renameType("T", to: "B")],
        [.removeProperty("A", "home"), .addProperty("A", ["home", "zip"], default: 1), .removeProperty("A", "home")],
        [
            .removeProperty("A", "home"), .addProperty("A", ["home", "zip"], default: 1),
            .renameProperty("A", ["home", "zip"], to: "code"),
        ],
        [.renameType("A", to: "B"), .renameType("C", to: "B"), .transform("B") { _ in }],
        [.addProperty("A", "kind", default: "a"), .renameType("A", to: "B"), .addProperty("B", "kind", default: "b")],
        [.deleteType("A"), .transform("B") { $0.typeName = "A" }, .addProperty("A", "x", default: 1)],
        [.addProperty("A", "x", default: deep(511))],
        // Records without the property are skipped, so the later step adds it where it is missing.
        [.renameProperty("A", "x", to: "y"), .addProperty("A", "y", default: 1)],
        [.moveProperty("A", "x", to: ["y", "x"]), .addProperty("A", ["y", "x"], default: 1)],
        // Two old spellings become one name.
        [.renameProperty("A", "eMail", to: "email"), .renameProperty("A", "mail", to: "email")],
        [.moveProperty("A", "x", to: ["y", "z"]), .moveProperty("A", "z", to: ["y", "z"])],
        // A property that was added or renamed may be null in some records.
        [.renameProperty("A", "x", to: "y", ifMissing: .fail), .addProperty("A", "y", default: 0)],
        [
            .addProperty("A", "x", default: []), .unwrapProperty("A", "x", from: .array),
            .addProperty("A", "x", default: ""),
        ],
        [.addProperty("A", "x", default: 1), .mapValue("A", "x", [1: .null]), .addProperty("A", "x", default: 2)],
        // Records that get the type later have another history.
        [
            .addProperty("C", "x", default: 1), .extractRecords("A", "c", as: "C", key: .derived),
            .addProperty("C", "x", default: 2),
        ],
        [
            .removeProperty("C", "x"), .extractRecords("A", "c", as: "C", key: .derived),
            .renameProperty("C", "x", to: "y"),
        ],
        [.addProperty("B", "x", default: 1), .renameType("A", to: "B"), .addProperty("B", "x", default: 2)],
        [.removeProperty("B", "x"), .renameType("A", to: "B"), .renameProperty("B", "x", to: "y")],
        // A wrapped value has other contents.
        [
            .removeProperty("A", ["x", "v"]), .wrapProperty("A", "x", in: .object("v")),
            .renameProperty("A", ["x", "v"], to: "w"),
        ],
        // Two Unicode forms of a letter make two names.
        [.renameType("caf\u{E9}", to: "cafe\u{301}"), .transform("cafe\u{301}") { _ in }],
        [.renameProperty("A", "caf\u{E9}", to: "cafe\u{301}")],
        [.removeProperty("A", "caf\u{E9}"), .renameProperty("A", "cafe\u{301}", to: "cafe")],
        [.deleteType("caf\u{E9}"), .renameType("cafe\u{301}", to: "caf\u{E9}")],
        [.addProperty("A", "caf\u{E9}", default: 1), .addProperty("A", "cafe\u{301}", default: 2)],
    ]

    @Test func `A registry without contradictions has no fault`() throws {
        for registry in Self.valid + Self.recreating.map(oneMigration) {
            #expect(registry.faults.isEmpty, "\(registry.faults)")
            try registry.validate()
        }
    }

    private static let contradictions: [(String, MigrationRegistry)] = [
        (
            "The 2nd migration, \"a\" (version 2), has the same name as the 1st migration. Names are never reused:",
            [Migration(to: 1, "a"), Migration(to: 2, "a")]
        ),
        (
            "The 2nd migration, \"a\" (version 1), is registered twice: it is also the 1st migration. Remove one.",
            [Migration(to: 1, "a", .deleteType("A")), Migration(to: 1, "a", .deleteType("A"))]
        ),
        (
            "has the same name as the 1st migration",
            [Migration(to: 1, "a", .deleteType("A")), Migration(to: 1, "a", .deleteType("B"))]
        ),
        ("The 1st migration (version 1) has an empty name", [Migration(to: 1, "")]),
        ("has an empty name", [Migration(to: 1, " \t\n")]),
        ("Register migrations in the order of their versions", [Migration(to: 2, "a"), Migration(to: 1, "b")]),
        ("a version below 1", [Migration(to: 0, "a")]), ("a version below 1", [Migration(to: -3, "a")]),
        ("above 2147483647", [Migration(to: 1 << 31, "a")]),
        (
            "is retired: `oldestVersion(_:)` is 3",
            MigrationRegistry([Migration(to: 3, "a")]).oldestVersion(3)
        ),
        ("a version is 0 or more", MigrationRegistry([]).oldestVersion(-1)),
        ("is above", MigrationRegistry([]).oldestVersion(1 << 31)),
        (
            "replaces \"a\", still in the registry, but \"z\" is not. Keep all replaced migrations beside it",
            [Migration(to: 1, "a"), Migration(to: 2, "b", replacing: ["a", "z"])]
        ),
        (
            "replaces \"a\", still in the registry, and has the name of a migration that it replaces",
            [Migration(to: 1, "a"), Migration(to: 2, "b", replacing: ["a", "b"])]
        ),
        (
            "replaces \"b\", which comes after it",
            [Migration(to: 1, "a", replacing: ["b"]), Migration(to: 2, "b")]
        ),
        (
            "replaces \"a\", \"c\" but not \"b\" (version 2), which comes between them",
            [
                Migration(to: 1, "a"), Migration(to: 2, "b", .deleteType("T")), Migration(to: 3, "c"),
                Migration(to: 3, "d", replacing: ["a", "c"]),
            ]
        ),
        ("merges none", [Migration(to: 1, "a", merging: []) { _ in }]),
        (
            "merges migrations that are still in the registry",
            [Migration(to: 1, "a"), Migration(to: 2, "b", merging: ["a"]) { _ in }]
        ),
        (
            "replaces \"a\", which an earlier migration replaces already",
            [Migration(to: 2, "b", replacing: ["a"]), Migration(to: 3, "c", replacing: ["a"])]
        ),
        ("replaces only itself", [Migration(to: 1, "a", replacing: ["a"])]),
        (
            "step 1: Older releases may write to the store, and the step will not see what they write (delete the type A)",
            [Migration(to: 1, "a", .deleteType("A")).olderReleases(may: .write)]
        ),
        (
            "step 1: Older releases may write to the store",
            [Migration(to: 1, "a", .removeSettings("k", in: .standard)).olderReleases(may: .write)]
        ),
        (
            "\"b\" (version 3), lets older releases write to the store, but they write values with other coders",
            MigrationRegistry([Migration(to: 1, "a"), Migration(to: 3, "b").olderReleases(may: .write)])
                .coding(RecordCoding { encoder, _ in encoder.dateEncodingStrategy = .iso8601 }, through: 2)
        ),
    ]

    private static let contradictorySteps: [(String, [MigrationStep])] = [
        ("The type name is empty", [.transform("") { _ in }]),
        ("The new type name is empty", [.renameType("A", to: "")]),
        ("renamed to its own name", [.renameType("A", to: "A")]),
        (
            "step 2: The type A was renamed to B by an earlier step",
            [.renameType("A", to: "B"), .removeProperty("A", "x")]
        ),
        ("The type A was deleted by an earlier step", [.deleteType("A"), .addProperty("A", "x", default: 1)]),
        ("No property is named", [.removeProperty("A", [])]),
        ("No property is named", [.renameProperty("A", [], to: "b")]),
        ("No property is named", [.addProperty("A", [], default: 1)]),
        ("No property is named", [.moveProperty("A", "x", to: [])]),
        ("is moved into itself", [.moveProperty("A", "x", to: ["x", "y"])]),
        (
            "The property A.x was moved to y.x by an earlier step",
            [.moveProperty("A", "x", to: ["y", "x"]), .removeProperty("A", "x")]
        ),
        ("renamed to its own name", [.renameProperty("A", "x", to: "x")]),
        (
            "The property A.x was removed by an earlier step",
            [.removeProperty("A", "x"), .renameProperty("A", "x", to: "y")]
        ),
        (
            "The property A.x was renamed to y by an earlier step",
            [.renameProperty("A", "x", to: "y"), .removeProperty("A", "x")]
        ),
        (
            "The property B.x was removed by an earlier step",
            [.removeProperty("A", "x"), .renameType("A", to: "B"), .renameProperty("B", "x", to: "y")]
        ),
        (
            "The property A.home was removed by an earlier step",
            [.removeProperty("A", "home"), .renameProperty("A", ["home", "zip"], to: "code")]
        ),
        ("A string must be split into at least two properties", [.splitProperty("A", "x", into: ["y"])]),
        ("y is named twice", [.splitProperty("A", "x", into: ["y", "y"])]),
        ("No property is named", [.splitProperty("A", "x", into: ["y", []])]),
        ("The separator is empty", [.splitProperty("A", "x", at: .first(""), into: ["y", "z"])]),
        (
            "The property A.x was split by an earlier step",
            [.splitProperty("A", "x", into: ["y", "z"]), .renameProperty("A", "x", to: "w")]
        ),
        ("At least two properties must be joined", [.joinProperties("A", ["x"], into: "y")]),
        ("x is named twice", [.joinProperties("A", ["x", "x"], into: "y")]),
        ("No property is named", [.joinProperties("A", ["x", "y"], into: [])]),
        (
            "The property A.y was joined by an earlier step",
            [.joinProperties("A", ["x", "y"], into: "z"), .removeProperty("A", "y")]
        ),
        ("is copied into itself", [.copyProperty("A", "x", to: ["x", "y"])]),
        ("No value is named", [.mapValue("A", "x", [:])]),
        ("No value is named", [.mapValue("A", "x", in: .keys, [:])]),
        ("A key is named twice", [.mapValue("A", "x", in: .keys, ["7": "a", 7: "b"])]),
        (
            "The property A.at was removed",
            [.removeProperty("A", "at"), .renameKeys("A", to: .lowercased, onConflict: .newest(by: "at"))]
        ),
        (
            "The property A.x.at was removed",
            [
                .removeProperty("A", ["x", "at"]),
                .extractRecords("A", "x", as: "B", key: .derived, onConflict: .newest(by: "at")),
            ]
        ),
        ("A key is neither a string nor an integer", [.mapValue("A", "x", in: .keys, ["a": 1.5])]),
        ("The separator is empty", [.splitIntoArray("A", "x", separator: "")]),
        ("The separator is empty", [.joinArray("A", "x", separator: "")]),
        ("The new key is not the path of one property", [.renameKeys("A", to: .property(["x", .each, "y"]))]),
        ("No property is named", [.renameKeys("A", to: .property([]))]),
        ("The type A was deleted by an earlier step", [.deleteType("A"), .renameKeys("A", to: .lowercased)]),
        (
            "`newest(by:)` needs the path of one property, without `.each`",
            [.renameKeys("A", to: .lowercased, onConflict: .newest(by: [.each, "at"]))]
        ),
        (
            "`newest(by:)` needs the path of one property, without `.each`",
            [.extractRecords("A", "x", as: "B", key: .derived, onConflict: .newest(by: []))]
        ),
        (
            "The property A.x was removed by an earlier step",
            [.removeProperty("A", "x"), .changeDictionary("A", "x", to: .object)]
        ),
        ("to itself", [.changeValue("A", "x", from: .iso8601, to: .iso8601)]),
        ("No directory is named", [.changeValue("A", "x", toPathIn: "/")]),
        ("No property is named", [.renameProperty("A", [], to: "x")]),
        ("Records are JSON", [.changeValue("A", "x", from: .iso8601, to: .propertyListDate)]),
        ("The key is empty", [.wrapProperty(.setting("", in: .standard), [], in: .array)]),
        ("The prefix is empty", [.removeSettings(withPrefix: "", in: .standard)]),
        (
            "The setting \"x\" in standard was deleted by an earlier step",
            [.removeSettings("x", in: .standard), .changeForm(.setting("x", in: .standard), to: .native)]
        ),
        (
            "The property y.a was removed by an earlier step",
            [
                .removeProperty(.setting("x", in: .standard), "a"), .renameSetting("x", to: "y", in: .standard),
                .renameProperty(.setting("y", in: .standard), "a", to: "b"),
            ]
        ),
        (
            "The property A.x was removed by an earlier step",
            [.removeProperty("A", "x"), .unwrapProperty("A", "x", from: .array)]
        ),
        ("The path x[] ends with", [.renameProperty("A", ["x", .each], to: "y")]),
        ("ends with `.each`", [.addProperty("A", ["x", .each], default: 1)]),
        ("ends with `.each`", [.removeProperty("A", ["x", .each])]),
        (
            "The paths x[].y and y do not lead through the same `.each`",
            [.moveProperty("A", ["x", .each, "y"], to: "y")]
        ),
        (
            "The paths x[].y and y[].b do not lead through the same `.each`",
            [.splitProperty("A", ["x", .each, "y"], into: [["x", .each, "a"], ["y", .each, "b"]])]
        ),
        (
            "The paths x[].y and z do not lead through the same `.each`",
            [.joinProperties("A", [["x", .each, "y"], "z"], into: ["x", .each, "w"])]
        ),
        (
            "The property A.x[].y was removed by an earlier step",
            [.removeProperty("A", ["x", .each, "y"]), .renameProperty("A", ["x", .each, "y", "z"], to: "w")]
        ),
        ("The new type name is empty", [.extractRecords("A", "x", as: "", key: .derived)]),
        ("The new records need a type of their own", [.extractRecords("A", "x", as: "A", key: .derived)]),
        (
            "The owner is the property with the key",
            [.extractRecords("A", "x", as: "B", key: .property("id"), owner: "id")]
        ),
        ("One of the properties y.z and y is inside the other", [.splitProperty("A", "x", into: [["y", "z"], "y"])]),
        (
            "The key is not the path of one property",
            [.extractRecords("A", "x", as: "B", key: .property(["y", .each]))]
        ),
        (
            "step 1: The step has a failure policy but processes no records (rename the type A to B).",
            [.renameType("A", to: "B").onFailure(.drop())]
        ),
        ("but processes no records", [.deleteType("A").onFailure(.stop)]),
        (
            "step 1: The failure limit is -3 records; it must be 0 or more.",
            [.transform("A") { _ in }.onFailure(.quarantine(upTo: .init(count: -3)))]
        ),
        (
            "step 1: The failure limit is a share of 7.0; it must be from 0 to 1.",
            [.transform("A") { _ in }.onFailure(.drop(upTo: .init(count: 3, share: 7)))]
        ),
        ("a share of nan", [.transform("A") { _ in }.onFailure(.drop(upTo: .init(share: .nan)))]),
        ("nested too deep", [.addProperty("A", "x", default: deep(512))]),
    ]

    @Test func `Each contradiction is one fault with a message of its own`() throws {
        let steps = Self.contradictorySteps.map { ($0, oneMigration($1)) }
        for (words, registry) in Self.contradictions + steps {
            #expect(registry.faults.count == 1, "\(words)")
            let error = try #require(throws: MoltError.self) { try registry.validate() }
            #expect(error.code == .invalidRegistry)
            #expect(error.message.contains(words), "\(error.message)")
        }
    }

    @Test func `A migration's position is written as an ordinal number`() {
        let registry = MigrationRegistry((1...123).map { Migration(to: $0, "") })
        let words = registry.faults.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        #expect(words.count == 123)
        let expected = [
            "1st", "2nd", "3rd", "4th", "10th", "11th", "12th", "13th", "21st", "22nd", "23rd", "102nd", "111th",
            "112th", "113th", "122nd",
        ]
        #expect(words.filter(expected.contains) == expected)
    }

    @Test func `A move has the URLs of two files, or a protection class`() throws {
        let (a, b) = (URL(filePath: "/a"), URL(filePath: "/b"))
        let web = try #require(URL(string: "https://example.com/a"))
        let valid = MigrationRegistry().storeMove(from: a, to: b).storeMove(from: b, to: b, protection: .complete)
        #expect(valid.faults.isEmpty)
        let faults = valid.storeMove(from: a, to: a).storeMove(from: web, to: b).faults
        try #require(faults.count == 2)
        #expect(faults[0].contains("moves the store's file to its own place, /a"))
        #expect(faults[1].contains("https://example.com/a, which is not the URL of a file"))
    }

    @Test func `Of migrations out of order, the fewest that are out of place are named`() {
        func faults(_ versions: Int...) -> [String] {
            MigrationRegistry(versions.enumerated().map { Migration(to: $1, "m\($0)") }).faults
        }
        func expect(_ found: [String], _ fault: String) {
            #expect(found == ["\(fault). Register migrations in the order of their versions."])
        }
        expect(faults(9, 1, 2, 3, 4), #"The 1st migration, "m0" (version 9), comes before a migration to version 1"#)
        expect(faults(1, 2, 9, 3, 4), #"The 3rd migration, "m2" (version 9), comes before a migration to version 3"#)
        expect(faults(1, 3, 4, 2), #"The 4th migration, "m3" (version 2), comes after a migration to version 4"#)
        expect(faults(2, 1), #"The 2nd migration, "m1" (version 1), comes after a migration to version 2"#)
        #expect(faults(1, 1, 2, 2).isEmpty)
    }

    @Test func `Every fault is reported at once, in the order of the migrations`() throws {
        var registry: MigrationRegistry = [
            Migration(to: 3, "first", .removeProperty("A", "x"), .renameProperty("A", "x", to: "y")),
            Migration(to: 0, ""),
            Migration(to: 2, "first", .renameType("B", to: "B"), .deleteType("")),
        ]
        registry = registry.oldestVersion(2)

        let error = try #require(throws: MoltError.self) { try registry.validate() }

        let expected = [
            "The 1st migration, \"first\" (version 3), comes before a migration to version 0.",
            "The 1st migration, \"first\" (version 3), step 2: The property A.x was removed by an earlier step.",
            "The 2nd migration (version 0) has an empty name.",
            "The 2nd migration, \"\" (version 0), brings a store to a version below 1",
            "The 3rd migration, \"first\" (version 2), has the same name as the 1st migration.",
            "The 3rd migration, \"first\" (version 2), is retired",
            "The 3rd migration, \"first\" (version 2), step 1: The type B is renamed to its own name.",
            "The 3rd migration, \"first\" (version 2), step 2: The type name is empty.",
        ]
        let lines = error.message.split(separator: "\n- ").dropFirst().map(String.init)
        #expect(lines.count == expected.count)
        for (line, start) in zip(lines, expected) {
            #expect(line.hasPrefix(start), "\(line)")
        }
        #expect(registry.faults == lines)
    }
}

private func oneMigration(_ steps: [MigrationStep]) -> MigrationRegistry {
    [Migration(to: 1, "steps", steps: steps)]
}

private func deep(_ levels: Int) -> RecordValue {
    (0..<levels).reduce(RecordValue.null) { value, _ in .array([value]) }
}
