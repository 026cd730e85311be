import Molt
import TestSupport
import Testing

@Suite struct `A condition of a step` {
    private static let seen = MigrationStep.addProperty("Person", "seen", default: true)

    /// Expects that a step with a condition changes some contents, each by a property at its end, and leaves others.
    private func expect(_ step: MigrationStep, changes: [String], leaves: [String]) throws {
        for json in changes {
            try expectChanged(json, to: "\(json.dropLast())\(json == "{}" ? "" : ",")\"seen\":true}") {
                try step.change(&$0)
            }
        }
        for json in leaves { try expectChanged(json, to: json) { try step.change(&$0) } }
    }

    @Test func `compares values as JSON`() throws {
        try expect(
            Self.seen.where("kind", equals: "item"),
            changes: [#"{"kind":"item"}"#, #"{"kind" : "\u0069tem"}"#, #"{"kind":"list","kind":"item"}"#],
            leaves: [#"{"kind":"Item"}"#, #"{"kind":["item"]}"#, #"{"kind":null}"#, "{}", #"{"a":{"kind":"item"}}"#]
        )
        try expect(
            Self.seen.where("at", equals: ["x": 1, "y": [true, .null]]),
            changes: [#"{"at":{"x":1,"y":[true,null]}}"#, #"{"at":{ "y" : [ true , null ] , "x":1}}"#],
            leaves: [#"{"at":{"x":1.0,"y":[true,null]}}"#, #"{"at":{"x":1,"y":[null,true]}}"#, #"{"at":{"x":1}}"#]
        )
        try expect(Self.seen.where("n", equals: 1), changes: [#"{"n":1}"#], leaves: [#"{"n":1.0}"#, #"{"n":"1"}"#])
        try expect(
            Self.seen.where(["a", "b"], equals: 1),
            changes: [#"{"a":{"b":1}}"#],
            leaves: [#"{"a":[1]}"#, "{}"]
        )
    }

    @Test func `counts null as missing, and a missing property equals nothing`() throws {
        let (value, null, missing) = (#"{"a":0}"#, #"{"a":null}"#, "{}")
        try expect(Self.seen.where("a", exists: true), changes: [value], leaves: [null, missing])
        try expect(Self.seen.where("a", exists: false), changes: [null, missing], leaves: [value])
        try expect(Self.seen.where("a", equals: .null), changes: [null], leaves: [value, missing])
        try expect(Self.seen.where("a", is: .null), changes: [null], leaves: [value, missing])
        // There is no value on a path through another kind of value.
        try expect(Self.seen.where(["a", "b"], exists: false), changes: [value, null, missing], leaves: [])
    }

    @Test func `may ask for the kind of a value`() throws {
        let values: [(RecordValue.Kind, [String])] = [
            (.string, [#""x""#, #""""#, #""\u0001""#]), (.number, ["0", "-1.5e3"]), (.bool, ["true", "false"]),
            (.array, ["[]", "[1]"]), (.object, ["{}", #"{"x":1}"#]), (.null, ["null"]),
        ]
        for (kind, _) in values {
            let (own, others) = (values.filter { $0.0 == kind }, values.filter { $0.0 != kind })
            func contents(_ values: [(RecordValue.Kind, [String])]) -> [String] {
                values.flatMap(\.1).map { #"{"a": \#($0)}"# }
            }
            try expect(Self.seen.where("a", is: kind), changes: contents(own), leaves: contents(others) + ["{}"])
        }
    }

    @Test func `must hold together with the others`() throws {
        let step = Self.seen.where("a", is: .number).where("b", exists: false).where("a", equals: 1)
        try expect(step, changes: [#"{"a":1}"#], leaves: [#"{"a":2}"#, #"{"a":1,"b":0}"#, #"{"b":null}"#, "{}"])
        // It is asked before the step changes anything.
        try expectChanged(#"{"a":1}"#, to: #"{"b":1}"#) {
            try MigrationStep.renameProperty("Person", "a", to: "b").where("a", exists: true)
                .where("b", exists: false).change(&$0)
        }
    }

    @Test func `may be about the whole content`() throws {
        let map = MigrationStep.mapValue("Theme", [], ["dark": "night"], otherwise: .value("day"))
        for (before, after) in [(#""dark""#, #""night""#), (#" "red""#, #""day""#), ("7", "7"), ("null", "null")] {
            try expectChanged(before, to: after) { try map.where([], is: .string).change(&$0) }
        }
        let data = StoredRecord("Person", "data", data: [1, 2])
        let step = MigrationStep.transform("Person") { $0.drop() }
        for (step, drops) in [(step.where([], exists: true), false), (step.where([], exists: false), true)] {
            var record = Record(key: data.key, typeName: data.type, content: data.content, isData: true)
            try step.change(&record)
            #expect(record.isDropped == drops)
        }
    }

    @Test func `lets nothing fail where it does not hold`() throws {
        let steps: [MigrationStep] = [
            .renameProperty("Person", "b", to: "c", ifMissing: .fail), .removeProperty("Person", "b", ifMissing: .fail),
            .renameProperty("Person", "a", to: "kind"), .splitProperty("Person", "a", into: ["x", "y"]),
            .changeValue("Person", "a", to: .string), .changeValue("Person", "a", to: .integer, ifMissing: .fail),
            .mapValue("Person", "a", [1: 2], otherwise: .fail), .addProperty("Person", ["a", "b"], default: 1),
            .transform("Person") { _ in throw CancellationError() },
            .convert("Person", from: [Int].self, to: [Int].self) { $0 },
        ]
        for step in steps {
            let json = #"{"a":["x"],"kind":"list"}"#
            try expectChanged(json, to: json) { try step.where("kind", equals: "item").change(&$0) }
        }
    }

    // MARK: Elements

    private static let renaming = MigrationStep.renameProperty("Person", ["items", .each, "name"], to: "title")

    @Test func `is asked for each element`() throws {
        let step = Self.renaming.where(["items", .each, "kind"], equals: "item")
        let cases: [(String, String)] = [
            (
                #"{"items":[{"kind":"item","name":1}, {"kind":"ad","name":2},{"name":3}, 4,null]}"#,
                #"{"items":[{"kind":"item","title":1}, {"kind":"ad","name":2},{"name":3}, 4,null]}"#
            ),
            (
                #"{"items":{"x":{"name":1,"kind":"ad"},"y":{"name":2,"kind":"item"}}}"#,
                #"{"items":{"x":{"name":1,"kind":"ad"},"y":{"title":2,"kind":"item"}}}"#
            ),
            (#"{"kind":"item","items":[{"name":1}]}"#, #"{"kind":"item","items":[{"name":1}]}"#),
            (#"{"items":null}"#, #"{"items":null}"#), (#"{"items":7}"#, #"{"items":7}"#), ("{}", "{}"),
        ]
        for (before, after) in cases { try expectChanged(before, to: after) { try step.change(&$0) } }
    }

    @Test func `is asked at each level of nested elements`() throws {
        let (lists, items): (PropertyPath, PropertyPath) = (["lists", .each], ["lists", .each, "items", .each])
        let step = MigrationStep.removeProperty("Person", [items, "n"])
        let json = #"""
            {"on":true,"lists":[{"kind":"a","items":[{"kind":"x","n":1},{"kind":"y","n":2}]},{"kind":"b","items":[{"kind":"x","n":3}]}]}
            """#
        let one = MigrationStep.removeProperty("Person", [items, "n"]).where([lists, "kind"], equals: "a")
        func without(_ members: String...) -> String {
            members.reduce(json) { $0.replacing(#","n":\#($1)"#, with: "") }
        }
        let cases: [(MigrationStep, String)] = [
            (one, without("1", "2")), (step.where([items, "kind"], equals: "x"), without("1", "3")),
            (one.where([items, "kind"], equals: "x"), without("1")),
            (one.where([items, "kind"], equals: "x").where("on", equals: true), without("1")),
            (one.where("on", exists: false), json), (one.where([lists, "items"], is: .object), json),
            (step.where([items, "n"], equals: 2), without("2")),
        ]
        for (step, expected) in cases { try expectChanged(json, to: expected) { try step.change(&$0) } }
    }

    @Test func `may be about the elements themselves, which a step may remove`() throws {
        let map = MigrationStep.mapValue("Person", ["l", .each], [1: 1], otherwise: .remove)
        try expectChanged(#"{"l":["x",1,2,null,"y"]}"#, to: #"{"l":["x",1,null,"y"]}"#) {
            try map.where(["l", .each], is: .number).change(&$0)
        }
        try expectChanged(#"{"l":[{"v":1},{"v":"1"}]}"#, to: #"{"l":[{"v":"1"},{"v":"1"}]}"#) {
            try MigrationStep.changeValue("Person", ["l", .each, "v"], to: .string, otherwise: .fail)
                .where(["l", .each, "v"], is: .number).change(&$0)
        }
        try expectChanged(#"[{"v":1},7,{"w":2}]"#, to: #"[{"v":1,"n":0},7,{"w":2}]"#) {
            try MigrationStep.addProperty("Person", [.each, "n"], default: 0).where([.each, "v"], exists: true)
                .change(&$0)
        }
    }

    @Test func `holds for elements in each step on properties`() throws {
        let at: PropertyPath = ["l", .each]
        func path(_ name: PropertyPath) -> PropertyPath { [at, name] }
        let cases: [(MigrationStep, String, String)] = [
            (.moveProperty("A", path("a"), to: path(["b", "c"])), #""a":1"#, #""b":{"c":1}"#),
            (.copyProperty("A", path("a"), to: path("b")), #""a":1"#, #""a":1,"b":1"#),
            (.splitProperty("A", path("a"), into: [path("b"), path("c")]), #""a":"x y""#, #""b":"x","c":"y""#),
            (.joinProperties("A", [path("a"), path("b")], into: path("c")), #""a":"x","b":"y""#, #""c":"x y""#),
            (.wrapProperty("A", path("a"), in: .array), #""a":1"#, #""a":[1]"#),
            (.unwrapProperty("A", path("a"), from: .array), #""a":[1]"#, #""a":1"#),
            (.changeDictionary("A", path("a"), to: .object), #""a":["x",1]"#, #""a":{"x":1}"#),
            (.mapValue("A", path("a"), in: .keys, ["x": "y"]), #""a":{"x":1}"#, #""a":{"y":1}"#),
            (.splitIntoArray("A", path("a"), separator: ","), #""a":"x,y""#, #""a":["x","y"]"#),
            (.joinArray("A", path("a"), separator: ","), #""a":["x","y"]"#, #""a":"x,y""#),
            (.parseJSONText("A", path("a")), ##""a":"[\"x\"]""##, #""a":["x"]"#),
            (.encodeAsJSONText("A", path("a")), #""a":["x"]"#, ##""a":"[\"x\"]""##),
        ]
        for (step, before, after) in cases {
            let other = #"{"kind":"ad",\#(before)}"#
            try expectChanged(#"{"l":[{\#(before),"kind":1},\#(other)]}"#, to: #"{"l":[\#(other)]}"#) { record in
                try step.where(path("kind"), equals: 1).change(&record)
                // Where the new properties are depends on the step.
                let element = try #require(record["l"]?.array?.first)
                let expected = try RecordValue(json: #"{\#(after),"kind":1}"#)
                #expect(element.sorted == expected.sorted, "\(step)")
                record["l"] = .array(Array(record["l"]?.array?.dropFirst() ?? []))
            }
        }
    }

    @Test func `lets nothing fail in elements for which it does not hold`() throws {
        let paths: (PropertyPath, PropertyPath) = (["l", .each, "a"], ["l", .each, "kind"])
        for json in [#"{"l":[{"kind":1},7,{"a":[],"kind":2}]}"#, #"{"l":"text"}"#, "{}", "[1]"] {
            for step in [
                MigrationStep.renameProperty("A", paths.0, to: "b", ifMissing: .fail),
                .changeValue("A", paths.0, to: .integer, ifMissing: .fail),
                .moveProperty("A", paths.0, to: ["l", .each, "b"], ifMissing: .fail),
            ] {
                try expectChanged(json, to: json) { try step.where(paths.1, equals: 3).change(&$0) }
            }
        }
        try expectRefused(#"{"l":[{"kind":3}]}"#, .propertyMissing, "l[].a") {
            try MigrationStep.removeProperty("A", paths.0, ifMissing: .fail).where(paths.1, equals: 3).change(&$0)
        }
    }

    // MARK: As a declaration

    @Test func `stands in the step's description, with its value`() {
        let group = Suite("group.a")
        let words: [(MigrationStep, String)] = [
            (
                .renameProperty("Item", "a", to: "b").where("kind", equals: "item"),
                #"rename Item.a to b, where Item.kind equals "item""#
            ),
            (
                .removeProperty("Item", "a").where("a", is: .string).where(["b", "c"], exists: false),
                "remove Item.a, where Item.a is a string and Item.b.c does not exist"
            ),
            (
                Self.renaming.where(["items", .each, "kind"], exists: true),
                "\(Self.renaming), where Person.items[].kind exists"
            ),
            (
                .mapValue(.setting("theme", in: group), [], ["a": "b"]).where([], is: .null),
                "map the values of theme in \(group), where theme is null"
            ),
            (
                .transform("Item") { _ in }.where("at", equals: ["y": 1, "x": [true]]),
                #"transform Item, where Item.at equals {"x":[true],"y":1}"#
            ),
        ]
        for (step, text) in words { #expect(step.description == text) }
    }

    // Ledgers keep fingerprints: a changed one would make every app's migrations count as edited.
    @Test func `is in the fingerprint, which is the same in all releases of Molt`() {
        func fingerprint(_ step: MigrationStep) -> String { Migration(to: 1, "name", step).fingerprint }
        let steps: [(MigrationStep, String)] = [
            (Self.seen.where("a", equals: ["b": 1, "a": .null]), "8774d0c07be665e58e0aefdd5aff9f9e"),
            (Self.seen.where("a", exists: true), "5779b8a627f4ec60d1faeea0c68399b4"),
            (Self.seen.where("a", exists: false), "13a5ce4be788cab539c86e5f6a5c2059"),
            (Self.seen.where(["a", .each, "b"], is: .number), "1fc61a826064d53503382538fbb8503b"),
            (Self.seen.where("a", is: .string).where("b", is: .object), "7d7b3721acb5968f24be38fc91419584"),
            (
                Self.seen.where("a", is: .array).where("b", is: .bool).where("c", is: .null),
                "100aadde205069e7805205920d2828e8"
            ),
        ]
        for (step, expected) in steps { #expect(fingerprint(step) == expected, "\(step)") }
        #expect(fingerprint(Self.seen.where("a", equals: ["a": .null, "b": 1])) == fingerprint(steps[0].0))
        #expect(fingerprint(Self.seen) == fingerprint(.addProperty("Person", "seen", default: true)))
    }

    @Test func `has faults`() {
        func faults(_ steps: MigrationStep...) -> [String] {
            registry(steps).faults.map { $0.replacing(#"The 1st migration, "change" (version 1), "#, with: "") }
        }
        func registry(_ steps: [MigrationStep]) -> MigrationRegistry { [Migration(to: 1, "change", steps: steps)] }
        let whole: [(MigrationStep, String)] = [
            (.renameType("A", to: "B"), "Set `typeName` in `transform`."),
            (.deleteType("A"), "Call `drop()` in `transform`."),
            (.renameKeys("A", to: .lowercased), "Set `key` in `transform`."),
            (.extractRecords("A", "b", as: "B", key: .derived), "Create the records in a block: `run`."),
            (.changeForm(.setting("a", in: .standard), to: .native), "Choose the settings in `changeSettings`."),
            (.renameSetting("a", to: "b", in: .standard), "Choose the settings in `changeSettings`."),
            (.removeSettings("a", in: .standard), "Choose the settings in `changeSettings`."),
            (.moveToRecords(.setting("a", in: .standard), ofType: "B"), "Create the records in a block: `run`."),
            (.changeSettings(in: .standard, "block") { _ in }, "Check it in the closure."),
            (.run("block") { _ in }, "Check it in the closure."),
            (
                Migration.suiteToAppGroup(to: 1, from: Suite("a"), into: Suite("b")).steps[0],
                "Name the keys that it is for."
            ),
        ]
        for (step, advice) in whole {
            let text =
                "step 1: The step has a condition, but does not change single records or the content of settings "
            #expect(faults(step.where("kind", equals: "item")) == ["\(text)(\(step)). \(advice)"])
        }
        let each: PropertyPath = ["items", .each, "kind"]
        #expect(
            faults(.removeProperty("A", "x").where(each, equals: 1)) == [
                "step 1: The condition on items[].kind is about elements, but the step's path x does not lead through the "
                    + "same `.each`."
            ]
        )
        #expect(faults(.removeProperty("A", ["lists", .each, "x"]).where(each, equals: 1)).count == 1)
        #expect(faults(.removeProperty("A", ["items", .each, "x"]).where([each, .each], equals: 1)).count == 1)
        #expect(
            faults(.transform("A") { _ in }.where(each, equals: 1)) == [
                "step 1: The condition on items[].kind is about elements, but the step's closure gets the whole content. "
                    + "Check the elements in the closure."
            ]
        )
        let deep = (0..<600).reduce(RecordValue.null) { value, _ in [value] }
        #expect(
            faults(Self.seen.where("a", equals: deep)) == [
                "step 1: The value of the condition on a is nested too deep to be in a record."
            ]
        )
        // Also of properties that earlier steps have removed.
        #expect(
            faults(.renameProperty("A", "kind", to: "k"), .removeProperty("A", "x").where("kind", equals: 1)) == [
                "step 2: The property A.kind was renamed to k by an earlier step."
            ]
        )
        #expect(
            faults(.removeProperty("A", "x"), .removeProperty("A", "x").where("x", is: .string)) == [
                "step 2: The property A.x was removed by an earlier step."
            ]
        )
    }

    @Test func `leaves a property to later steps that others lose`() {
        let steps: [[MigrationStep]] = [
            [
                .renameProperty("A", "x", to: "y").where("kind", equals: 1),
                .renameProperty("A", "x", to: "z").where("kind", equals: 2), .removeProperty("A", "x"),
            ],
            [
                .removeProperty("A", "x"), .addProperty("A", "x", default: 1).where("k", exists: true),
                .removeProperty("A", "x"),
            ],
            [.removeProperty("A", "x"), .transform("A") { _ in }.where("k", exists: true), .removeProperty("A", "x")],
            [
                .renameProperty("A", ["l", .each, "x"], to: "y").where("k", exists: true),
                .removeProperty("A", ["l", .each, "x"]),
            ],
            [.renameProperty("A", ["l", .each, "x"], to: "y").where(["l", .each], is: .object)],
        ]
        for steps in steps {
            let faults = MigrationRegistry([Migration(to: 1, "m", steps: steps)]).faults
            #expect(faults.isEmpty, "\(faults)")
        }
    }

    // MARK: Names that no record has

    private func unmatched(_ steps: MigrationStep...) async throws -> [[String]] {
        let records = ["item", "item", "ad"].enumerated().map { index, kind in
            StoredRecord("Item", "\(index)", #"{"kind":"\#(kind)","a":1,"list":[{"sort":1,"n":2}]}"#)
        }
        let report = try await OldStore(records, through: .inMemory)
            .upgrade([Migration(to: 1, "change", steps: steps)])
        return report.entries[0].steps.map(\.unmatchedNames)
    }

    @Test func `is named if no record has its property, also where it holds for all or the step does nothing`()
        async throws
    {
        let what = #"does not occur in any of 3 records of type "Item""#
        let list: PropertyPath = ["list", .each]
        let found = try await unmatched(
            .copyProperty("Item", "a", to: "b").where("knd", exists: false),
            .renameProperty("Item", "a", to: "c").where("kind", equals: "nothing"),
            .renameProperty("Item", "aa", to: "c").where("kind", equals: "item").where("fax", is: .string),
            .renameProperty("Item", [list, "n"], to: "m").where([list, "sotr"], equals: 1),
            .renameProperty("Item", [list, "n"], to: "m").where([list, "sort"], equals: 1),
            // The step itself removes what its condition is about.
            .removeProperty("Item", "kind").where("kind", is: .string)
        )
        let expected: [[String]] = [
            [#""knd" \#(what); did you mean "kind"?"#], [],
            [#""aa" \#(what); did you mean "a"?"#, #""fax" \#(what)"#],
            [#""list[].sotr" \#(what); did you mean ["list", .each, "sort"]?"#], [], [],
        ]
        #expect(found == expected)
    }
}
