import Testing

@testable import Molt

/// Their changes of single records are tested in MoltCoreTests; these tests are about whole stores.
@Suite struct `Steps that take the place of closures` {
    private static let records = [
        StoredRecord("Person", "ada", #"{"name":"Ada King Lovelace","born":"1815","tags":["old",1],"at":0}"#),
        StoredRecord("Person", "plato", #"{"name":"Plato","born":null}"#),
        StoredRecord("Person", "eve", #"{"born":1999,"tags":[]}"#),
        StoredRecord("City", "rome", #"{"name":"Roma Aeterna"}"#),
    ]

    @Test(.throughEveryEntryPoint) func `Each changes the records of its type that have the property`() async throws {
        let store = try OldStore(Self.records)
        let report = try await store.upgrade(
            .splitProperty("Person", "name", into: ["first", "last"]),
            .copyProperty("Person", "first", to: ["call", "name"]),
            .changeValue("Person", "born", to: .integer),
            .changeValue("Person", "at", from: .secondsSinceReferenceDate, to: .iso8601),
            .mapValue("Person", ["tags", .each], ["old": "past", 1: "one"]),
            .wrapProperty("Person", "last", in: .array),
            .renameProperty("Person", "last", to: "lastNames"),
            .unwrapProperty("Person", "lastNames", from: .array),
            .joinProperties("Person", ["lastNames", "first"], into: "sortName", separator: ", ")
        )
        let after = try store.snapshot()

        #expect(
            after["ada"]?.text
                == #"{"born":1815,"tags":["past","one"],"at":"2001-01-01T00:00:00Z","#
                + #""call":{"name":"Ada"},"sortName":"King Lovelace, Ada"}"#
        )
        #expect(after["plato"]?.text == #"{"born":null,"call":{"name":"Plato"},"sortName":"Plato"}"#)
        #expect(after["eve"]?.text == Self.records[2].text)
        #expect(after["rome"]?.text == Self.records[3].text)
        let counts = report.entries[0].steps.map(\.counts.changed)
        #expect(counts == [2, 2, 1, 1, 1, 2, 2, 2, 2])
        #expect(report.entries[0].steps.allSatisfy { $0.unmatchedNames.isEmpty })
    }

    @Test(.throughEveryEntryPoint)
    func `A record that cannot be converted fails the upgrade, and is named`() async throws {
        let error = try await OldStore(Self.records).failure(.splitProperty("Person", "born", into: ["a", "b"]))
        error.expect(.typeMismatch, key: "eve", property: "born", summary: "split Person.born into a, b")
        #expect(!"\(error)".contains("1999"))
    }

    @Test func `A policy for such records holds for each of the steps`() async throws {
        for step in [
            MigrationStep.splitProperty("Person", "born", into: ["a", "b"]),
            .joinProperties("Person", ["name", "born"], into: "n"),
            .mapValue("Person", "born", ["1815": 1815], otherwise: .fail),
            .changeValue("Person", "born", from: .iso8601, to: .secondsSince1970),
            .unwrapProperty("Person", "born", from: .array),
            .extractRecords("Person", "born", as: "Birth", key: .derived),
        ] {
            let store = try OldStore(Self.records)
            let report = try await store.upgrade(step.onFailure(.quarantine(upTo: 3)))
            let count = report.entries[0].counts.quarantined
            #expect(count > 0, "\(step)")
            #expect(try store.snapshot().records.count == Self.records.count - count, "\(step)")
        }
    }

    @Test func `What may be lost is listed`() throws {
        let store = try OldStore(Self.records)
        let losses = try MigrationPlan(
            forFileAt: store.url,
            migrations: registry(
                .mapValue("A", "merged", ["x": "z", "y": "z"]),
                .mapValue("A", "kept", ["x": "z"]),
                .mapValue("A", "removed", ["x": "z"], otherwise: .remove),
                .changeValue("A", "replaced", to: .integer, otherwise: .value(0)),
                .changeValue("A", "safe", to: .integer),
                .changeValue("A", "cut", from: .secondsSince1970, to: .iso8601)
            )
        ).losses.map(\.name)

        #expect(losses == ["A.merged", "A.removed", "A.replaced", "A.cut"])
    }

    @Test func `A property whose values stay as they are is not reported as missing`() async throws {
        let report = try await OldStore(Self.records).upgrade(
            .mapValue("Person", "name", ["x": "y"]),
            .changeValue("City", "name", to: .string),
            .mapValue("Person", "nam", ["x": "y"]),
            .renameProperty("Person", ["tags", "x"], to: "y"),
            .changeValue("Person", ["tgs", .each], to: .string)
        )

        #expect(
            report.entries[0].steps.map { $0.unmatchedNames.map(\.description) } == [
                [], [],
                [#""nam" does not occur in any of 3 records of type "Person"; did you mean "name"?"#],
                [#""tags.x" does not occur in any of 3 records of type "Person""#],
                [#""tgs[]" does not occur in any of 3 records of type "Person"; did you mean ["tags", .each]?"#],
            ]
        )
    }

    @Test(arguments: [
        [
            MigrationStep.changeValue("Person", "name", to: .string),
            .renameProperty("Person", "name", to: "n"),
        ],
        [.mapValue("Person", "name", ["x": "y"]), .removeProperty("Person", "name")],
        [.mapValue("Person", "name", ["x": "y"]), .splitProperty("Person", "name", into: ["a", "b"])],
        [.mapValue("Person", "name", ["x": "y"]), .deleteType("Person")],
        [.mapValue("Person", "name", ["x": "y"]), .renameType("Person", to: "Human")],
        [.mapValue("Person", "name", ["x": "y"]), .transform("Person") { try $0.remove("born") }],
        [.copyProperty("Person", "name", to: "nick"), .joinProperties("Person", ["name", "nick"], into: "name")],
    ])
    func `A property that later steps remove is not reported as missing`(steps: [MigrationStep]) async throws {
        for isOne in [true, false] {
            let registry =
                isOne
                ? MigrationRegistry([Migration(to: 1, "change", steps: steps)])
                : MigrationRegistry(steps.enumerated().map { Migration(to: $0 + 1, "m\($0)", $1) })
            let report = try await OldStore(Self.records).upgrade(registry)
            #expect(report.entries.allSatisfy { $0.steps.allSatisfy { $0.unmatchedNames.isEmpty } })
        }
    }

    @Test(arguments: [
        MigrationStep.transform("City") { $0["seen"] = true }, .transform("City") { $0.drop() },
        .renameProperty("City", "name", to: "title"), .renameType("City", to: "Town"), .deleteType("City"),
        .renameType("Person", to: "Human"),
    ])
    func `A misspelled property is reported, whatever later steps do to other types`(later: MigrationStep) async throws
    {
        let report = try await OldStore(Self.records).upgrade(.mapValue("Person", "nam", ["x": "y"]), later)
        #expect(
            report.entries[0].steps[0].unmatchedNames.map(\.description) == [
                #""nam" does not occur in any of 3 records of type "Person"; did you mean "name"?"#
            ]
        )
    }

    @Test func `A name that an earlier migration of the same upgrade has changed is reported`() async throws {
        let report = try await OldStore(Self.records).upgrade([
            Migration(to: 1, "rename", .renameProperty("Person", "born", to: "birthYear")),
            Migration(to: 2, "change", .changeValue("Person", "born", to: .integer)),
            Migration(to: 3, "split", .splitProperty("Person", "name", into: ["a", "b"])),
            Migration(to: 4, "copy", .copyProperty("Person", "name", to: "c")),
        ])
        #expect(
            report.entries.map { $0.steps[0].unmatchedNames.map(\.description) } == [
                [], [#""born" does not occur in any of 3 records of type "Person""#],
                [], [#""name" does not occur in any of 3 records of type "Person""#],
            ]
        )
    }

    @Test func `A path that lacks each is recognized`() async throws {
        let report = try await OldStore([
            StoredRecord("Person", "ada", #"{"addresses":[{"zip":1},{"zip":2}]}"#)
        ]).upgrade(.renameProperty("Person", ["addresses", "zip"], to: "code"))

        #expect(
            report.entries[0].steps[0].unmatchedNames.map(\.description) == [
                #""addresses.zip" does not occur in the only record of type "Person"; did you mean ["addresses", .each, "zip"]?"#
            ]
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

    @Test(.throughEveryEntryPoint) func `Objects become records, and their keys stay in their places`() async throws {
        let store = try OldStore(Self.records)
        let report = try await store.upgrade(
            .extractRecords("Post", ["comments", .each], as: "Comment", key: .property("id"), owner: "post")
        )
        let after = try store.snapshot()

        #expect(
            after.records.map { "\($0)".replacing(#/ v[0-9?]/#, with: "") } == [
                #"Post "p1" {"title":"T","comments":["c1",null,"7"],"by":{"name":"Ada"}} until 4000000000.0"#,
                #"Post "p2" {"title":"U","comments":[],"by":null}"#,
                #"Post "p3" {"title":"V"}"#,
                #"Comment "c1" {"id":"c1", "n":1.50,"post":"p1"} until 4000000000.0"#,
                #"Comment "7" {"id":7,"post":"p1"} until 4000000000.0"#,
            ]
        )
        #expect(report.entries[0].counts.created == 2)
        #expect(report.entries[0].counts.changed == 1)
    }

    @Test func `Keys can be derived, and nothing need stay`() async throws {
        let after = try await OldStore(Self.records).upgraded(
            .extractRecords("Post", ["comments", .each], as: "Comment", key: .derived, leaving: .nothing),
            .extractRecords("Post", "by", as: "Author", key: .derived, leaving: .nothing)
        )

        #expect(after["p1"]?.text == #"{"title":"T","comments":[null]}"#)
        #expect(after["p2"]?.text == #"{"title":"U","by":null}"#)
        #expect(after["p1/comments/0"]?.text == #"{"id":"c1", "n":1.50}"#)
        #expect(after["p1/comments/2"]?.text == #"{"id":7}"#)
        #expect(after["p1/by"]?.text == #"{"name":"Ada"}"#)
        #expect(after["p1/by"]?.type == "Author")
    }

    @Test(arguments: [
        (
            #"{"c":[{"id":"p2"}]}"#, MigrationStep.extractRecords("Post", ["c", .each], as: "C", key: .property("id")),
            MoltError.Code.keyExists
        ),
        (
            #"{"c":[{"id":"a","n":1},{"id":"a","n":2}]}"#,
            .extractRecords("Post", ["c", .each], as: "C", key: .property("id")),
            .keyExists
        ),
        (#"{"c":[{"n":1}]}"#, .extractRecords("Post", ["c", .each], as: "C", key: .property("id")), .typeMismatch),
        (#"{"c":[{"id":1.5}]}"#, .extractRecords("Post", ["c", .each], as: "C", key: .property("id")), .typeMismatch),
        (#"{"c":["secret"]}"#, .extractRecords("Post", ["c", .each], as: "C", key: .derived), .typeMismatch),
        (
            #"{"c":[{"o":1}]}"#, .extractRecords("Post", ["c", .each], as: "C", key: .derived, owner: "o"),
            .propertyExists
        ),
    ])
    func `What cannot be extracted fails the upgrade`(json: String, step: MigrationStep, code: MoltError.Code)
        async throws
    {
        let error = try await OldStore([StoredRecord("Post", "x", json), Self.records[1]]).failure(step)
        #expect(error.code == code)
        #expect(!"\(error)".contains("secret"))
    }

    @Test func `A record that cannot be extracted can be quarantined, and leaves no record behind`() async throws {
        let store = try OldStore([
            StoredRecord("Post", "a", #"{"c":[{"id":"x"},{}]}"#),
            StoredRecord("Post", "b", #"{"c":[{"id":"y"}]}"#),
            StoredRecord("Post", "c", #"{"c":[{"id":"z"},7]}"#),
        ])
        let step = MigrationStep.extractRecords("Post", ["c", .each], as: "C", key: .property("id"))
        let report = try await store.upgrade(step.onFailure(.quarantine(upTo: 3)))

        #expect(report.entries[0].counts.quarantined == 2)
        #expect(try store.snapshot().records.map(\.key) == ["b", "y"])
    }

    @Test func `Equal objects with one key become one record, and different ones stop the upgrade`() async throws {
        let parent = StoredRecord("Post", "a", #"{"c":[{"id":"x","n":1}]}"#, expiration: 5e9)
        let step = MigrationStep.extractRecords("Post", ["c", .each], as: "C", key: .property("id"))
            .onFailure(.quarantine(upTo: 3))
        func store(_ json: String, expiration: Double?) throws -> OldStore {
            try OldStore([parent, StoredRecord("Post", "b", json, expiration: expiration)])
        }
        for expiration in [4e9, 6e9, nil] {
            let after = try await store(#"{"c":[{ "n":1, "id":"x" },null]}"#, expiration: expiration)
                .upgraded(registry(step))
            #expect(after["a"]?.text == #"{"c":["x"]}"#)
            #expect(after["b"]?.text == #"{"c":["x",null]}"#)
            #expect(after["x"]?.text == #"{"id":"x","n":1}"#)
            #expect(after["x"]?.expiration == expiration.map { max($0, 5e9) })
        }
        let error = try await store(#"{"c":[{"id":"x","n":2}]}"#, expiration: nil).failure(registry(step))
        #expect(error.code == .keyExists)
        #expect(error.key == "b")
        #expect(
            error.problem
                == "An object of the record \"b\" would become a record of type C with the key \"x\", which a different "
                + "record of type C has."
        )
        #expect(error.advice == "Derive the keys of new records, or change the other record's key first.")
    }

    @Test func `Derived keys have the keys of dictionaries and the positions in arrays`() async throws {
        let json = #"{"a":{"home":[{"n":1},{"n":2}],"work":[null,{"n":3}]},"b":{"x":{"id":18446744073709551615}}}"#
        let after = try await OldStore([StoredRecord("Post", "p", json)]).upgraded(
            .extractRecords("Post", ["a", .each, .each], as: "C", key: .derived, leaving: .nothing),
            .extractRecords("Post", ["b", .each], as: "B", key: .property("id"))
        )

        #expect(
            after.records.map(\.key).sorted()
                == ["18446744073709551615", "p", "p/a/home/0", "p/a/home/1", "p/a/work/1"]
        )
        #expect(after["p"]?.text == #"{"a":{"work":[null]},"b":{"x":"18446744073709551615"}}"#)
    }

    @Test func `A misspelled path of extracted records is reported`() async throws {
        let report = try await OldStore(Self.records).upgrade(
            .extractRecords("Post", ["coments", .each], as: "Comment", key: .derived)
        )
        #expect(
            report.entries[0].steps[0].unmatchedNames.map(\.description)
                == [#""coments[]" does not occur in any of 3 records of type "Post""#]
        )
    }

    @Test func `A block can extract records, too`() async throws {
        let after = try await OldStore(Self.records).upgraded {
            try $0.extractRecords("Post", "by", as: "Author", key: .property("name"))
        }
        #expect(after["p1"]?.text.hasSuffix(#""by":"Ada"}"#) == true)
        #expect(after["Ada"]?.text == #"{"name":"Ada"}"#)
    }
}
