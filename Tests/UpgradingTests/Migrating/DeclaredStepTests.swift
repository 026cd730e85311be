import Molt
import Testing

/// Their changes of single records are tested in RecordTests; these tests are about whole stores.
@Suite struct `Steps that take the place of closures` {
    private static let records = [
        StoredRecord("Person", "ada", #"{"name":"Ada King Lovelace","born":"1815","tags":["old",1],"at":0}"#),
        StoredRecord("Person", "plato", #"{"name":"Plato","born":null}"#),
        StoredRecord("Person", "eve", #"{"born":1999,"tags":[]}"#),
        StoredRecord("City", "rome", #"{"name":"Roma Aeterna"}"#),
    ]

    @Test func `Each changes the records of its type that have the property`() async throws {
        let store = try OldStore(Self.records)
        let report = try await store.upgrade(
            .splitProperty("Person", "name", into: ["first", "last"]),
            .copyProperty("Person", "first", to: ["call", "name"]),
            .changeValue("Person", "born", to: .integer),
            .changeValue("Person", "at", from: .deferredToDate, to: .iso8601),
            .mapValue("Person", ["tags", .each], ["old": "past", 1: "one"]),
            .wrapProperty("Person", "last", in: .array),
            .renameProperty("Person", "last", to: "lastNames"),
            .unwrapProperty("Person", "lastNames", from: .array),
            .joinProperties("Person", ["lastNames", "first"], into: "sortName", separator: ", ")
        )
        try store.snapshot().expect(
            #"Person ada {"born":1815,"tags":["past","one"],"at":"2001-01-01T00:00:00Z","#
                + #""call":{"name":"Ada"},"sortName":"King Lovelace, Ada"}"#,
            #"Person plato {"born":null,"call":{"name":"Plato"},"sortName":"Plato"}"#,
            Self.records[2].line,
            Self.records[3].line
        )
        let steps = report.entries[0].steps.map { $0.unmatchedNames.isEmpty ? $0.counts.changed : -1 }
        #expect(steps == [2, 2, 1, 1, 1, 2, 2, 2, 2])
    }

    @Test func `A policy for records that cannot be converted holds for each of the steps`() async throws {
        for step in [
            MigrationStep.splitProperty("Person", "born", into: ["a", "b"]),
            .joinProperties("Person", ["name", "born"], into: "n"),
            .mapValue("Person", "born", ["1815": 1815], otherwise: .fail),
            .changeValue("Person", "born", from: .iso8601, to: .secondsSince1970),
            .changeValue("Person", "born", toPathIn: "Documents"),
            .unwrapProperty("Person", "born", from: .array),
            .parseJSONText("Person", "born"),
            .encodeAsJSONText("Person", "born"),
            .extractRecords("Person", "born", as: "Birth", key: .derived),
        ] {
            let store = try OldStore(Self.records)
            let report = try await store.upgrade(step.onFailure(.quarantine(upTo: 3)))
            let (quarantined, left) = (report.entries[0].counts.quarantined, try store.snapshot().records.count)
            #expect(quarantined > 0 && left == Self.records.count - quarantined, "\(step)")
        }
    }

    @Test func `What may be lost is listed`() throws {
        let store = try OldStore(Self.records)
        let migrations = registry(
            .mapValue("A", "merged", ["x": "z", "y": "z"]),
            .mapValue("A", "kept", ["x": "z"]),
            .mapValue("A", "removed", ["x": "z"], otherwise: .remove),
            .changeValue("A", "replaced", to: .integer, otherwise: .value(0)),
            .changeValue("A", "safe", to: .integer),
            .changeValue("A", "cut", from: .secondsSince1970, to: .iso8601),
            .mapValue("A", "keys", in: .keys, ["x": "z", "y": "z"]),
            .mapValue("A", "entries", in: .keys, ["x": "z"], otherwise: .remove),
            .mapValue("A", "values", in: .values, ["x": "z", "y": "z"]),
            .splitIntoArray("A", "exact", separator: ","),
            .splitIntoArray("A", "trimmed", separator: ",", trimming: true),
            .renameKeys("A", to: .lowercased),
            .renameKeys("A", to: .lowercased, onConflict: .keep),
            .extractRecords("A", "b", as: "B", key: .derived, onConflict: .newest(by: "at")),
            .changeValue("A", "file", toPathIn: "Documents"),
            .changeDictionary("A", "dictionary", to: .arrayOfValues),
            .changeDictionary("A", "same", to: .alternatingArray),
            .parseJSONText("A", "same"),
            .encodeAsJSONText("A", "same"),
            .parseJSONText("A", "text", otherwise: .remove)
        )
        let plan = try CacheFile(at: store.url).plan(migrations)
        #expect(
            plan.losses.map(\.name) == [
                "A.merged", "A.removed", "A.replaced", "A.cut", "A.entries", "A.values", "A.trimmed", "A (merged)",
                "B (merged)", "A.file", "A.dictionary", "A.text",
            ]
        )
        #expect(
            plan.losses.first { $0.name == "B (merged)" }?.description
                == "records of type B merged with others of the same key"
        )
    }
}

@Suite struct `Extracting records` {
    private static let records = [
        StoredRecord(
            "Post",
            "p1",
            #"{"title":"T","comments":[{"id":"c1", "n":1.50},null,{"id":7}],"by":{"name":"Ada"}}"#,
            expiration: 4_000_000_000
        ),
        StoredRecord("Post", "p2", #"{"title":"U","comments":[],"by":null}"#),
        StoredRecord("Post", "p3", #"{"title":"V"}"#),
    ]

    @Test(.through(.migrator)) func `Objects become records, and their keys stay in their places`() async throws {
        let store = try OldStore(Self.records)
        let report = try await store.upgrade(
            .extractRecords("Post", ["comments", .each], as: "Comment", key: .property("id"), owner: "post")
        )
        try store.snapshot().expect(
            #"Post p1 {"title":"T","comments":["c1",null,"7"],"by":{"name":"Ada"}} until 4000000000.0"#,
            #"Post p2 {"title":"U","comments":[],"by":null}"#,
            #"Post p3 {"title":"V"}"#,
            #"Comment c1 {"id":"c1", "n":1.50,"post":"p1"} until 4000000000.0"#,
            #"Comment 7 {"id":7,"post":"p1"} until 4000000000.0"#
        )
        #expect("\(report.counts)" == "3 read, 1 changed, 2 created")
    }

    @Test func `Keys can be derived, and nothing need stay, also in a block`() async throws {
        let after = try await OldStore(Self.records).upgraded(
            .extractRecords("Post", ["comments", .each], as: "Comment", key: .derived, leaving: .nothing),
            .run { try $0.extractRecords("Post", "by", as: "Author", key: .derived, leaving: .nothing) }
        )
        after.expect(
            #"Post p1 {"title":"T","comments":[null]} until 4000000000.0"#,
            #"Post p2 {"title":"U","by":null}"#,
            #"Post p3 {"title":"V"}"#,
            #"Comment p1/comments/0 {"id":"c1", "n":1.50} until 4000000000.0"#,
            #"Comment p1/comments/2 {"id":7} until 4000000000.0"#,
            #"Author p1/by {"name":"Ada"} until 4000000000.0"#
        )
    }

    private static let byID = MigrationStep.extractRecords("Post", ["c", .each], as: "C", key: .property("id"))

    @Test func `What cannot be extracted fails the upgrade`() async throws {
        func derived(_ owner: PropertyPath? = nil) -> MigrationStep {
            .extractRecords("Post", ["c", .each], as: "C", key: .derived, owner: owner)
        }
        let cases: [(json: String, step: MigrationStep, code: MoltError.Code)] = [
            (#"{"c":[{"id":"p2"}]}"#, Self.byID, .keyExists),
            (#"{"c":[{"id":"a","n":1},{"id":"a","n":2}]}"#, Self.byID, .keyExists),
            (#"{"c":[{"n":1}]}"#, Self.byID, .typeMismatch),
            (#"{"c":[{"id":1.5}]}"#, Self.byID, .typeMismatch),
            (#"{"c":["secret"]}"#, derived(), .typeMismatch),
            (#"{"c":[{"o":1}]}"#, derived("o"), .propertyExists),
        ]
        for (json, step, code) in cases {
            let error = try await OldStore([StoredRecord("Post", "x", json), Self.records[1]]).failure(step)
            error.expect(code)
            let text = "\(error)"
            #expect(!text.contains("secret"))
        }
        try await OldStore([StoredRecord("Post", "x", #"{"c":[{"id":""}]}"#)]).failure(Self.byID).expect(
            .typeMismatch,
            says: #"The property "id" of an object at "c[]" is empty, and the key of a record must not be."#
        )
    }

    @Test func `A record that cannot be extracted can be quarantined, and leaves no record behind`() async throws {
        let store = try OldStore([
            StoredRecord("Post", "a", #"{"c":[{"id":"x"},{}]}"#),
            StoredRecord("Post", "b", #"{"c":[{"id":"y"}]}"#),
            StoredRecord("Post", "c", #"{"c":[{"id":"z"},7]}"#),
        ])
        let report = try await store.upgrade(Self.byID.onFailure(.quarantine(upTo: 3)))
        #expect(report.entries[0].counts.quarantined == 2)
        try store.snapshot().expect(keys: "b y")
    }

    @Test func `Equal objects with one key become one record, and different ones stop the upgrade`() async throws {
        let parent = StoredRecord("Post", "a", #"{"c":[{"id":"x","n":1}]}"#, expiration: 5e9)
        let migrations = registry(Self.byID.onFailure(.quarantine(upTo: 3)))
        func store(_ json: String, expiration: Double?) throws -> OldStore {
            try OldStore([parent, StoredRecord("Post", "b", json, expiration: expiration)])
        }
        for expiration in [4e9, 6e9, nil] {
            let after = try await store(#"{"c":[{ "n":1, "id":"x" },null]}"#, expiration: expiration)
                .upgraded(migrations)
            let own = expiration.map { " until \($0)" } ?? ""
            let later = expiration.map { " until \(max($0, 5e9))" } ?? ""
            after.expect(
                #"Post a {"c":["x"]} until 5000000000.0"#,
                #"Post b {"c":["x",null]}\#(own)"#,
                #"C x {"id":"x","n":1}\#(later)"#
            )
        }
        let error = try await store(#"{"c":[{"id":"x","n":2}]}"#, expiration: nil).failure(migrations)
        error.expect(.keyExists, key: "b")
        #expect(
            error.problem == """
                An object of the record "b" would become a record of type C with the key of a different record of type \
                C, from "id".
                """
        )
        #expect(
            error.advice == """
                Choose with `onConflict:` which record stays, derive the keys of new records, or change the other record's \
                key first. A failure policy does not apply.
                """
        )
    }

    @Test func `Derived keys have the keys of dictionaries and the positions in arrays`() async throws {
        let json = #"{"a":{"home":[{"n":1},{"n":2}],"work":[null,{"n":3}]},"b":{"x":{"id":18446744073709551615}}}"#
        let after = try await OldStore([StoredRecord("Post", "p", json)]).upgraded(
            .extractRecords("Post", ["a", .each, .each], as: "C", key: .derived, leaving: .nothing),
            .extractRecords("Post", ["b", .each], as: "B", key: .property("id"))
        )
        after.expect(
            including: #"Post p {"a":{"work":[null]},"b":{"x":"18446744073709551615"}}"#,
            #"C p/a/home/0 {"n":1}"#,
            #"C p/a/home/1 {"n":2}"#,
            #"C p/a/work/1 {"n":3}"#,
            #"B 18446744073709551615 {"id":18446744073709551615}"#
        )
        #expect(after.records.count == 5)
    }
}
