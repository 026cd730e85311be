import Testing

@testable import Molt

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
        steps(
            .addProperty("A", "x", default: 1).onFailure(.quarantine(upTo: .init(count: 0, share: 1))),
            .run { _ in }.onFailure(.drop(upTo: .init(share: 0))),
            .convert("A", from: Int.self, to: Int.self) { $0 }.onFailure(.stop)
        ),
    ]

    @Test(arguments: valid)
    func `A registry without contradictions has no fault`(_ registry: MigrationRegistry) throws {
        #expect(registry.faults.isEmpty, "\(registry.faults)")
        try registry.validate()
    }

    private static let contradictions: [Case] = [
        Case(
            "The 2nd migration, \"a\" (version 2), has the same name as the 1st migration. Names are never reused:",
            [Migration(to: 1, "a"), Migration(to: 2, "a")]
        ),
        Case(
            "The 2nd migration, \"a\" (version 1), is registered twice: it is also the 1st migration. Remove one.",
            [Migration(to: 1, "a", .deleteType("A")), Migration(to: 1, "a", .deleteType("A"))]
        ),
        Case(
            "has the same name as the 1st migration",
            [Migration(to: 1, "a", .deleteType("A")), Migration(to: 1, "a", .deleteType("B"))]
        ),
        Case("The 1st migration (version 1) has an empty name", [Migration(to: 1, "")]),
        Case("has an empty name", [Migration(to: 1, " \t\n")]),
        Case("Register migrations in the order of their versions", [Migration(to: 2, "a"), Migration(to: 1, "b")]),
        Case("a version below 1", [Migration(to: 0, "a")]),
        Case("a version below 1", [Migration(to: -3, "a")]),
        Case("above 2147483647", [Migration(to: 1 << 31, "a")]),
        Case(
            "is retired: oldestSupportedVersion is 3",
            MigrationRegistry([Migration(to: 3, "a")], oldestSupportedVersion: 3)
        ),
        Case("cannot be below 0", MigrationRegistry([], oldestSupportedVersion: -1)),
        Case("is above", MigrationRegistry([], oldestSupportedVersion: 1 << 31)),
        Case(
            "replaces \"a\", which is still in the registry",
            [Migration(to: 1, "a"), Migration(to: 2, "b", replacing: ["a"])]
        ),
        Case(
            "replaces \"a\", which an earlier migration replaces already",
            [Migration(to: 2, "b", replacing: ["a"]), Migration(to: 3, "c", replacing: ["a"])]
        ),
        Case("replaces only itself", [Migration(to: 1, "a", replacing: ["a"])]),
        Case("The type name is empty", steps(.transform("") { _ in })),
        Case("The new type name is empty", steps(.renameType("A", to: ""))),
        Case("renamed to its own name", steps(.renameType("A", to: "A"))),
        Case(
            "step 2: The type A was renamed to B by an earlier step",
            steps(.renameType("A", to: "B"), .removeProperty("A", "x"))
        ),
        Case("The type A was deleted by an earlier step", steps(.deleteType("A"), .addProperty("A", "x", default: 1))),
        Case("No property is named", steps(.removeProperty("A", []))),
        Case("No property is named", steps(.renameProperty("A", [], to: "b"))),
        Case("No property is named", steps(.addProperty("A", [], default: 1))),
        Case("No property is named", steps(.moveProperty("A", "x", to: []))),
        Case("is moved into itself", steps(.moveProperty("A", "x", to: ["x", "y"]))),
        Case(
            "The property A.x was moved to y.x by an earlier step",
            steps(.moveProperty("A", "x", to: ["y", "x"]), .removeProperty("A", "x"))
        ),
        Case("renamed to its own name", steps(.renameProperty("A", "x", to: "x"))),
        Case(
            "The property A.x was removed by an earlier step",
            steps(.removeProperty("A", "x"), .renameProperty("A", "x", to: "y"))
        ),
        Case(
            "The property A.x was renamed to y by an earlier step",
            steps(.renameProperty("A", "x", to: "y"), .removeProperty("A", "x"))
        ),
        Case(
            "The property B.x was removed by an earlier step",
            steps(.removeProperty("A", "x"), .renameType("A", to: "B"), .renameProperty("B", "x", to: "y"))
        ),
        Case(
            "The property A.home was removed by an earlier step",
            steps(.removeProperty("A", "home"), .renameProperty("A", ["home", "zip"], to: "code"))
        ),
        Case("A string is split into at least two properties", steps(.splitProperty("A", "x", into: ["y"]))),
        Case("y is named twice", steps(.splitProperty("A", "x", into: ["y", "y"]))),
        Case("No property is named", steps(.splitProperty("A", "x", into: ["y", []]))),
        Case("The separator is empty", steps(.splitProperty("A", "x", at: .first(""), into: ["y", "z"]))),
        Case(
            "The property A.x was split by an earlier step",
            steps(.splitProperty("A", "x", into: ["y", "z"]), .renameProperty("A", "x", to: "w"))
        ),
        Case("At least two properties are joined", steps(.joinProperties("A", ["x"], into: "y"))),
        Case("x is named twice", steps(.joinProperties("A", ["x", "x"], into: "y"))),
        Case("No property is named", steps(.joinProperties("A", ["x", "y"], into: []))),
        Case(
            "The property A.y was joined by an earlier step",
            steps(.joinProperties("A", ["x", "y"], into: "z"), .removeProperty("A", "y"))
        ),
        Case("is copied into itself", steps(.copyProperty("A", "x", to: ["x", "y"]))),
        Case("No value is named", steps(.mapValue("A", "x", [:]))),
        Case("to itself", steps(.changeValue("A", "x", from: .iso8601, to: .iso8601))),
        Case("No property is named", steps(.changeValue("A", [], to: .bool))),
        Case("No property is named", steps(.wrapProperty("A", [], in: .array))),
        Case(
            "The property A.x was removed by an earlier step",
            steps(.removeProperty("A", "x"), .unwrapProperty("A", "x", from: .array))
        ),
        Case("The path x[] ends with", steps(.renameProperty("A", ["x", .each], to: "y"))),
        Case("ends with `.each`", steps(.addProperty("A", ["x", .each], default: 1))),
        Case("ends with `.each`", steps(.removeProperty("A", ["x", .each]))),
        Case(
            "The paths x[].y and y do not lead through the same `.each`",
            steps(.moveProperty("A", ["x", .each, "y"], to: "y"))
        ),
        Case(
            "The paths x[].y and y[].b do not lead through the same `.each`",
            steps(.splitProperty("A", ["x", .each, "y"], into: [["x", .each, "a"], ["y", .each, "b"]]))
        ),
        Case(
            "The paths x[].y and z do not lead through the same `.each`",
            steps(.joinProperties("A", [["x", .each, "y"], "z"], into: ["x", .each, "w"]))
        ),
        Case(
            "The property A.x[].y was removed by an earlier step",
            steps(.removeProperty("A", ["x", .each, "y"]), .renameProperty("A", ["x", .each, "y", "z"], to: "w"))
        ),
        Case("The new type name is empty", steps(.extractRecords("A", "x", as: "", key: .derived))),
        Case("The new records need a type of their own", steps(.extractRecords("A", "x", as: "A", key: .derived))),
        Case(
            "The owner is the property with the key",
            steps(.extractRecords("A", "x", as: "B", key: .property("id"), owner: "id"))
        ),
        Case(
            "One of the properties y.z and y is inside the other",
            steps(.splitProperty("A", "x", into: [["y", "z"], "y"]))
        ),
        Case(
            "The key is not the path of one property",
            steps(.extractRecords("A", "x", as: "B", key: .property(["y", .each])))
        ),
        Case(
            "step 1: The step has a failure policy but processes no records (rename the type A to B).",
            steps(.renameType("A", to: "B").onFailure(.drop()))
        ),
        Case("but processes no records", steps(.deleteType("A").onFailure(.stop))),
        Case(
            "step 1: The failure limit is -3 records; it must not be negative.",
            steps(.transform("A") { _ in }.onFailure(.quarantine(upTo: .init(count: -3))))
        ),
        Case(
            "step 1: The failure limit is a share of 7.0; it must be from 0 to 1.",
            steps(.transform("A") { _ in }.onFailure(.drop(upTo: .init(count: 3, share: 7))))
        ),
        Case("a share of nan", steps(.transform("A") { _ in }.onFailure(.drop(upTo: .init(share: .nan))))),
        Case("nested too deep", steps(.addProperty("A", "x", default: deep(512)))),
    ]

    @Test(arguments: contradictions)
    func `Each contradiction is one fault with a message of its own`(_ fault: Case) throws {
        #expect(fault.registry.faults.count == 1)
        let error = try #require(throws: MoltError.self) { try fault.registry.validate() }
        #expect(error.code == .invalidRegistry)
        #expect(error.message.contains(fault.words), "\(error.message)")
    }

    private static let recreating: [MigrationRegistry] = [
        steps(.removeProperty("A", "x"), .addProperty("A", "x", default: 1), .renameProperty("A", "x", to: "y")),
        steps(.removeProperty("A", "x"), .transform("A") { _ in }, .renameProperty("A", "x", to: "y")),
        steps(.removeProperty("A", "x"), .run { _ in }, .renameProperty("A", "x", to: "y")),
        steps(
            .renameProperty("A", "x", to: "t"),
            .renameProperty("A", "y", to: "x"),
            .renameProperty("A", "t", to: "y")
        ),
        steps(.renameType("A", to: "T"), .renameType("B", to: "A"), .renameType("T", to: "B")),
        steps(
            .removeProperty("A", "home"),
            .addProperty("A", ["home", "zip"], default: 1),
            .removeProperty("A", "home")
        ),
        steps(
            .removeProperty("A", "home"),
            .addProperty("A", ["home", "zip"], default: 1),
            .renameProperty("A", ["home", "zip"], to: "code")
        ),
        steps(.renameType("A", to: "B"), .renameType("C", to: "B"), .transform("B") { _ in }),
        steps(
            .addProperty("A", "kind", default: "a"),
            .renameType("A", to: "B"),
            .addProperty("B", "kind", default: "b")
        ),
        steps(.deleteType("A"), .transform("B") { $0.typeName = "A" }, .addProperty("A", "x", default: 1)),
        steps(.addProperty("A", "x", default: deep(511))),
        // Records without the property are skipped, so the later step adds it where it is missing.
        steps(.renameProperty("A", "x", to: "y"), .addProperty("A", "y", default: 1)),
        steps(.moveProperty("A", "x", to: ["y", "x"]), .addProperty("A", ["y", "x"], default: 1)),
        // Two old spellings become one name.
        steps(.renameProperty("A", "eMail", to: "email"), .renameProperty("A", "mail", to: "email")),
        steps(.moveProperty("A", "x", to: ["y", "z"]), .moveProperty("A", "z", to: ["y", "z"])),
        // A property that was added or renamed may be null in some records.
        steps(.renameProperty("A", "x", to: "y", ifMissing: .fail), .addProperty("A", "y", default: 0)),
        steps(
            .addProperty("A", "x", default: []),
            .unwrapProperty("A", "x", from: .array),
            .addProperty("A", "x", default: "")
        ),
        steps(.addProperty("A", "x", default: 1), .mapValue("A", "x", [1: .null]), .addProperty("A", "x", default: 2)),
        // Records that get the type later have another history.
        steps(
            .addProperty("C", "x", default: 1),
            .extractRecords("A", "c", as: "C", key: .derived),
            .addProperty("C", "x", default: 2)
        ),
        steps(
            .removeProperty("C", "x"),
            .extractRecords("A", "c", as: "C", key: .derived),
            .renameProperty("C", "x", to: "y")
        ),
        steps(.addProperty("B", "x", default: 1), .renameType("A", to: "B"), .addProperty("B", "x", default: 2)),
        steps(.removeProperty("B", "x"), .renameType("A", to: "B"), .renameProperty("B", "x", to: "y")),
        // A wrapped value has other contents.
        steps(
            .removeProperty("A", ["x", "v"]),
            .wrapProperty("A", "x", in: .object("v")),
            .renameProperty("A", ["x", "v"], to: "w")
        ),
        // Two Unicode forms of a letter make two names.
        steps(.renameType("caf\u{E9}", to: "cafe\u{301}"), .transform("cafe\u{301}") { _ in }),
        steps(.renameProperty("A", "caf\u{E9}", to: "cafe\u{301}")),
        steps(.removeProperty("A", "caf\u{E9}"), .renameProperty("A", "cafe\u{301}", to: "cafe")),
        steps(.deleteType("caf\u{E9}"), .renameType("cafe\u{301}", to: "caf\u{E9}")),
        steps(.addProperty("A", "caf\u{E9}", default: 1), .addProperty("A", "cafe\u{301}", default: 2)),
    ]

    @Test(arguments: recreating)
    func `Steps that recreate, fill in or merge names are no fault`(_ registry: MigrationRegistry) {
        #expect(registry.faults.isEmpty, "\(registry.faults)")
    }

    @Test func `A migration's position is written as an ordinal number`() {
        let registry = MigrationRegistry((1...123).map { Migration(to: $0, "") })
        let words = registry.faults.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        #expect(words.count == 123)
        for word in [
            "1st", "2nd", "3rd", "4th", "10th", "11th", "12th", "13th", "21st", "22nd", "23rd", "102nd", "111th",
            "112th", "113th", "122nd",
        ] { #expect(words.contains(word)) }
    }

    @Test func `Every fault is reported at once, in the order of the migrations`() throws {
        var registry: MigrationRegistry = [
            Migration(to: 3, "first", .removeProperty("A", "x"), .renameProperty("A", "x", to: "y")),
            Migration(to: 0, ""),
            Migration(to: 2, "first", .renameType("B", to: "B"), .deleteType("")),
        ]
        registry.oldestSupportedVersion = 2

        let error = try #require(throws: MoltError.self) { try registry.validate() }

        let expected = [
            "The 1st migration, \"first\" (version 3), step 2: The property A.x was removed by an earlier step.",
            "The 2nd migration (version 0) has an empty name.",
            "The 2nd migration, \"\" (version 0), brings a store to a version below 1",
            "The 2nd migration, \"\" (version 0), comes after a migration to version 3.",
            "The 3rd migration, \"first\" (version 2), has the same name as the 1st migration.",
            "The 3rd migration, \"first\" (version 2), is retired",
            "The 3rd migration, \"first\" (version 2), comes after a migration to version 3.",
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

extension RegistryFaultTests {
    /// A registry with one fault, and what its message says.
    struct Case: Sendable, CustomTestStringConvertible {
        let words: String
        let registry: MigrationRegistry

        var testDescription: String { words }

        init(_ words: String, _ registry: MigrationRegistry) {
            self.words = words
            self.registry = registry
        }
    }
}

private func steps(_ steps: MigrationStep...) -> MigrationRegistry {
    MigrationRegistry([Migration(to: 1, "steps", steps: steps)])
}

private func deep(_ levels: Int) -> RecordValue {
    (0..<levels).reduce(RecordValue.null) { value, _ in .array([value]) }
}
