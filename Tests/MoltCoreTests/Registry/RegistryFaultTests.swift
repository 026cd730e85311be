import MoltCore
import Testing

@Suite("Faults of a registry")
struct RegistryFaultTests {
    @Test func `A registry without contradictions has no fault`() throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "a", .renameType("Alien", to: "Person"), .renameProperty("Person", "mail", to: "email")),
            Migration(to: 1, "b"),
            Migration(to: 4, "c", .removeProperty("Person", "email"), .addProperty("Person", "email", default: "")),
        ]

        #expect(registry.faults.isEmpty)
        try registry.validate()
    }

    @Test func `An empty registry has no fault`() throws {
        try MigrationRegistry().validate()
    }

    @Test(arguments: [
        Case(
            "the same name",
            [Migration(to: 1, "a"), Migration(to: 2, "a")],
            "The 2nd migration, \"a\" (version 2), has the same name as the 1st migration. Names are never reused: choose"
        ),
        Case(
            "a migration that is listed twice",
            [Migration(to: 1, "a", .deleteType("A")), Migration(to: 1, "a", .deleteType("A"))],
            "The 2nd migration, \"a\" (version 1), is registered twice: it is also the 1st migration. Remove one."
        ),
        Case(
            "the name of another one at the same version",
            [Migration(to: 1, "a", .deleteType("A")), Migration(to: 1, "a", .deleteType("B"))],
            "has the same name as the 1st migration"
        ),
        Case("an empty name", [Migration(to: 1, "")], "The 1st migration (version 1) has an empty name"),
        Case("a name of blanks", [Migration(to: 1, " \t\n")], "has an empty name"),
        Case(
            "a version that goes down",
            [Migration(to: 2, "a"), Migration(to: 1, "b")],
            "Register migrations in the order of their versions"
        ),
        Case("version 0", [Migration(to: 0, "a")], "a version below 1"),
        Case("a negative version", [Migration(to: -3, "a")], "a version below 1"),
        Case("a version beyond 32 bits", [Migration(to: 1 << 31, "a")], "above 2147483647"),
        Case(
            "a retired version",
            MigrationRegistry([Migration(to: 3, "a")], oldestSupportedVersion: 3),
            "is retired: oldestSupportedVersion is 3"
        ),
        Case("a negative oldest version", MigrationRegistry([], oldestSupportedVersion: -1), "cannot be below 0"),
        Case("an oldest version beyond 32 bits", MigrationRegistry([], oldestSupportedVersion: 1 << 31), "is above"),
        Case(
            "a replacement of what is there",
            [Migration(to: 1, "a"), Migration(to: 2, "b", replacing: ["a"])],
            "replaces \"a\", which is still in the registry"
        ),
        Case(
            "two replacements of one",
            [Migration(to: 2, "b", replacing: ["a"]), Migration(to: 3, "c", replacing: ["a"])],
            "replaces \"a\", which an earlier migration replaces already"
        ),
        Case("a replacement of itself", [Migration(to: 1, "a", replacing: ["a"])], "replaces only itself"),
        Case("an empty type", steps(.transform("") { _ in }), "The type name is empty"),
        Case("an empty new type", steps(.renameType("A", to: "")), "The new type name is empty"),
        Case("a type renamed to itself", steps(.renameType("A", to: "A")), "renamed to its own name"),
        Case(
            "a type that was renamed",
            steps(.renameType("A", to: "B"), .removeProperty("A", "x")),
            "step 2: The type A was renamed to B by an earlier step"
        ),
        Case(
            "a type that was deleted",
            steps(.deleteType("A"), .addProperty("A", "x", default: 1)),
            "The type A was deleted by an earlier step"
        ),
        Case("a property without a name", steps(.removeProperty("A", [])), "No property is named"),
        Case("a rename without a name", steps(.renameProperty("A", [], to: "b")), "No property is named"),
        Case("a default without a name", steps(.addProperty("A", [], default: 1)), "No property is named"),
        Case("a move without a place", steps(.moveProperty("A", "x", to: [])), "No property is named"),
        Case("a move into itself", steps(.moveProperty("A", "x", to: ["x", "y"])), "is moved into itself"),
        Case(
            "a moved property that is removed",
            steps(.moveProperty("A", "x", to: ["y", "x"]), .removeProperty("A", "x")),
            "The property A.x was moved to y.x by an earlier step"
        ),
        Case("a property renamed to itself", steps(.renameProperty("A", "x", to: "x")), "renamed to its own name"),
        Case(
            "a removed property that is renamed",
            steps(.removeProperty("A", "x"), .renameProperty("A", "x", to: "y")),
            "The property A.x was removed by an earlier step"
        ),
        Case(
            "a renamed property that is removed",
            steps(.renameProperty("A", "x", to: "y"), .removeProperty("A", "x")),
            "The property A.x was renamed to y by an earlier step"
        ),
        Case(
            "a removed property under the type's new name",
            steps(.removeProperty("A", "x"), .renameType("A", to: "B"), .renameProperty("B", "x", to: "y")),
            "The property B.x was removed by an earlier step"
        ),
        Case(
            "a property inside a removed one",
            steps(.removeProperty("A", "home"), .renameProperty("A", ["home", "zip"], to: "code")),
            "The property A.home was removed by an earlier step"
        ),
        Case(
            "a split into one",
            steps(.splitProperty("A", "x", into: ["y"])),
            "A string is split into at least two properties"
        ),
        Case("a split into one name twice", steps(.splitProperty("A", "x", into: ["y", "y"])), "y is named twice"),
        Case("a split without a name", steps(.splitProperty("A", "x", into: ["y", []])), "No property is named"),
        Case(
            "a split at nothing",
            steps(.splitProperty("A", "x", at: .first(""), into: ["y", "z"])),
            "The separator is empty"
        ),
        Case(
            "a split property that is renamed",
            steps(.splitProperty("A", "x", into: ["y", "z"]), .renameProperty("A", "x", to: "w")),
            "The property A.x was split by an earlier step"
        ),
        Case("a join of one", steps(.joinProperties("A", ["x"], into: "y")), "At least two properties are joined"),
        Case("a join of one name twice", steps(.joinProperties("A", ["x", "x"], into: "y")), "x is named twice"),
        Case("a join without a name", steps(.joinProperties("A", ["x", "y"], into: [])), "No property is named"),
        Case(
            "a joined property that is removed",
            steps(.joinProperties("A", ["x", "y"], into: "z"), .removeProperty("A", "y")),
            "The property A.y was joined by an earlier step"
        ),
        Case("a copy into itself", steps(.copyProperty("A", "x", to: ["x", "y"])), "is copied into itself"),
        Case("a map of nothing", steps(.mapValue("A", "x", [:])), "No value is named"),
        Case("a form changed to itself", steps(.changeValue("A", "x", from: .iso8601, to: .iso8601)), "to itself"),
        Case("a changed value without a name", steps(.changeValue("A", [], to: .bool)), "No property is named"),
        Case("a wrapped value without a name", steps(.wrapProperty("A", [], in: .array)), "No property is named"),
        Case(
            "an unwrapped property that was removed",
            steps(.removeProperty("A", "x"), .unwrapProperty("A", "x", from: .array)),
            "The property A.x was removed by an earlier step"
        ),
        Case("a renamed element", steps(.renameProperty("A", ["x", .each], to: "y")), "The path x[] ends with"),
        Case("an added element", steps(.addProperty("A", ["x", .each], default: 1)), "ends with `.each`"),
        Case("a removed element", steps(.removeProperty("A", ["x", .each])), "ends with `.each`"),
        Case(
            "a move out of its element",
            steps(.moveProperty("A", ["x", .each, "y"], to: "y")),
            "The paths x[].y and y do not lead through the same `.each`"
        ),
        Case(
            "a split out of its element",
            steps(.splitProperty("A", ["x", .each, "y"], into: [["x", .each, "a"], ["y", .each, "b"]])),
            "The paths x[].y and y[].b do not lead through the same `.each`"
        ),
        Case(
            "a join of several elements",
            steps(.joinProperties("A", [["x", .each, "y"], "z"], into: ["x", .each, "w"])),
            "The paths x[].y and z do not lead through the same `.each`"
        ),
        Case(
            "a property in elements that is removed",
            steps(.removeProperty("A", ["x", .each, "y"]), .renameProperty("A", ["x", .each, "y", "z"], to: "w")),
            "The property A.x[].y was removed by an earlier step"
        ),
        Case(
            "extracted records of an empty type",
            steps(.extractRecords("A", "x", as: "", key: .derived)),
            "The new type name is empty"
        ),
        Case(
            "extracted records of the same type",
            steps(.extractRecords("A", "x", as: "A", key: .derived)),
            "The new records need a type of their own"
        ),
        Case(
            "extracted records whose owner is their key",
            steps(.extractRecords("A", "x", as: "B", key: .property("id"), owner: "id")),
            "The owner is the property with the key"
        ),
        Case(
            "a split into a property and one inside it",
            steps(.splitProperty("A", "x", into: [["y", "z"], "y"])),
            "One of the properties y.z and y is inside the other"
        ),
        Case(
            "extracted records with keys of several elements",
            steps(.extractRecords("A", "x", as: "B", key: .property(["y", .each]))),
            "The key is not the path of one property"
        ),
        Case(
            "a policy of a step that looks at no record",
            steps(.renameType("A", to: "B").onFailure(.drop())),
            "step 1: The step has a failure policy but processes no records (rename the type A to B)."
        ),
        Case("a policy of a deletion", steps(.deleteType("A").onFailure(.stop)), "but processes no records"),
        Case(
            "a limit below none",
            steps(.transform("A") { _ in }.onFailure(.quarantine(upTo: .init(count: -3)))),
            "step 1: The failure limit is -3 records; it must not be negative."
        ),
        Case(
            "a share above all",
            steps(.transform("A") { _ in }.onFailure(.drop(upTo: .init(count: 3, share: 7)))),
            "step 1: The failure limit is a share of 7.0; it must be from 0 to 1."
        ),
        Case(
            "a share that is no number",
            steps(.transform("A") { _ in }.onFailure(.drop(upTo: .init(share: .nan)))),
            "a share of nan"
        ),
        Case("a default that is too deep", steps(.addProperty("A", "x", default: deep(512))), "nested too deep"),
    ])
    func `Each contradiction is one fault with a message of its own`(_ fault: Case) throws {
        #expect(fault.registry.faults.count == 1)
        let error = try #require(throws: MigrationError.self) { try fault.registry.validate() }
        #expect(error.code == .invalidRegistry)
        #expect(error.message.contains(fault.words), "\(error.message)")
    }

    @Test(arguments: [
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
        steps(
            .addProperty("A", "x", default: 1),
            .mapValue("A", "x", [1: .null]),
            .addProperty("A", "x", default: 2)
        ),
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
        steps(
            .addProperty("B", "x", default: 1),
            .renameType("A", to: "B"),
            .addProperty("B", "x", default: 2)
        ),
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
    ])
    func `Steps that recreate, fill in or merge names are no fault`(_ registry: MigrationRegistry) {
        #expect(registry.faults.isEmpty, "\(registry.faults)")
    }

    @Test func `A migration's position is written as an ordinal number`() {
        let registry = MigrationRegistry((1...123).map { Migration(to: $0, $0 % 2 == 0 ? "" : "\($0)") })
        let words = registry.faults.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        #expect(words.count == 61)
        for word in ["2nd", "4th", "10th", "12th", "22nd", "102nd", "112th", "122nd"] { #expect(words.contains(word)) }
        let others = MigrationRegistry((1...123).map { Migration(to: $0, $0 % 2 == 1 ? "" : "\($0)") })
        let odd = others.faults.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        for word in ["1st", "3rd", "11th", "13th", "21st", "23rd", "111th", "113th"] { #expect(odd.contains(word)) }
    }

    @Test func `Limits at their bounds, and blocks with a policy, are no fault`() {
        let limit = RecordFailurePolicy.Limit(count: 0, share: 1)
        let registry = steps(
            .addProperty("A", "x", default: 1).onFailure(.quarantine(upTo: limit)),
            .run { _ in }.onFailure(.drop(upTo: .init(share: 0))),
            .convert("A", from: Int.self, to: Int.self) { $0 }.onFailure(.stop)
        )
        #expect(registry.faults.isEmpty, "\(registry.faults)")
    }

    @Test func `Every fault is reported at once, in the order of the migrations`() throws {
        var registry: MigrationRegistry = [
            Migration(to: 3, "first", .removeProperty("A", "x"), .renameProperty("A", "x", to: "y")),
            Migration(to: 0, ""),
            Migration(to: 2, "first", .renameType("B", to: "B"), .deleteType("")),
        ]
        registry.oldestSupportedVersion = 2

        let error = try #require(throws: MigrationError.self) { try registry.validate() }

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

    @Test func `Each migration is checked alone: a later one may use a name that an earlier one removed`() {
        let registry: MigrationRegistry = [
            Migration(to: 1, "a", .removeProperty("A", "x"), .deleteType("B")),
            Migration(to: 2, "b", .renameProperty("A", "x", to: "y"), .transform("B") { _ in }),
        ]

        #expect(registry.faults.isEmpty)
    }
}

extension RegistryFaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let registry: MigrationRegistry
        let words: String

        init(_ name: String, _ registry: MigrationRegistry, _ words: String) {
            testDescription = name
            self.registry = registry
            self.words = words
        }
    }
}

private func steps(_ steps: MigrationStep...) -> MigrationRegistry {
    MigrationRegistry([Migration(to: 1, "steps", steps: steps)])
}

private func deep(_ levels: Int) -> RecordValue {
    (0..<levels).reduce(RecordValue.null) { value, _ in .array([value]) }
}
