import Foundation
import Molt
import Testing

private typealias Policy = ConflictPolicy<Record>

private let sum = Policy.merge { record, other in
    record["n"] = .int(try record.int("n") + other.int("n"))
}

@Suite struct `Several parents with one child` {
    private static func step(_ policy: Policy) -> MigrationStep {
        .extractRecords("Post", ["c", .each], as: "C", key: .property("id"), onConflict: policy)
    }

    private static func posts(_ children: [String], there: String? = nil) -> [StoredRecord] {
        (there.map { [StoredRecord("C", "x", $0, expiration: 9e9)] } ?? [])
            + children.enumerated().map { index, child in
                StoredRecord("Post", "p\(index)", "{\"c\":[\(child)],\"n\":\(index)}", expiration: 4e9 + Double(index))
            }
    }

    private static let (old, new) = (
        #"{"id":"x","n":1,"at":"2026-01-01T00:00:00Z"}"#, #"{"id":"x","n":2,"at":"2026-01-01T02:00:00+01:00"}"#
    )

    private static let cases: [(Policy, first: String, second: String, child: String)] = [
        (.keep, old, new, old), (.keep, new, old, new), (.replace, old, new, new), (.newest(by: "at"), old, new, new),
        (.newest(by: "at"), new, old, new), (sum, old, new, old.replacing("\"n\":1", with: "\"n\":3")),
    ]

    @Test func `become parents of one record by the policy, and no parent changes more than the others`() async throws {
        for (policy, first, second, child) in Self.cases {
            // A closure runs for each child after the first one, and so for the equal one, too.
            let isMerge = policy.runsClosure
            let child = isMerge ? child.replacing("\"n\":3", with: "\"n\":4") : child
            for failures in [FailurePolicy.stop, .drop(upTo: .unlimited), .quarantine(upTo: .unlimited)] {
                let store = try OldStore(Self.posts([first, first, second, #"{"id":"y"}"#]))
                let report = try await store.upgrade(Self.step(policy).onFailure(failures))
                try store.snapshot().expect(
                    #"Post p0 {"c":["x"],"n":0} until 4000000000.0"#,
                    #"Post p1 {"c":["x"],"n":1} until 4000000001.0"#,
                    #"Post p2 {"c":["x"],"n":2} until 4000000002.0"#,
                    #"Post p3 {"c":["y"],"n":3} until 4000000003.0"#,
                    "C x \(child) until 4000000002.0",
                    #"C y {"id":"y"} until 4000000003.0"#
                )
                let step = report.entries[0].steps[0]
                #expect("\(step.counts)" == "4 read, 4 changed, 2 created")
                let lost = isMerge ? "2 records" : "1 record"
                #expect(step.losses.map(\.description) == ["\(lost) of type C merged with others of the same key"])
            }
        }
    }

    // Statements add the records in groups.
    @Test func `become parents of one record also if there are many children`() async throws {
        let children = (0..<60).map { "{\"id\":\"k\($0 % 40)\",\"n\":\($0)}" }
        let contents = [children[..<35], children[35...]].map { "{\"c\":[\($0.joined(separator: ","))]}" }
        let store = try OldStore(contents.enumerated().map { StoredRecord("Post", "p\($0)", $1) })
        let report = try await store.upgrade(Self.step(sum))
        #expect("\(report.entries[0].steps[0].counts)" == "2 read, 2 changed, 40 created")
        let after = try store.snapshot()
        for index in 0..<40 {
            let sum = index < 20 ? 2 * index + 40 : index
            after.expect(including: "C k\(index) {\"id\":\"k\(index)\",\"n\":\(sum)}")
        }
    }

    // The child must not get the key that p2 gives up when it fails later.
    @Test func `meet the key of a parent that fails later`() async throws {
        let contents = [#"{"c":[{"id":"p1"}]}"#, #"{"c":[5]}"#]
        for failures in [FailurePolicy.drop(upTo: .unlimited), .quarantine(upTo: .unlimited)] {
            let store = try OldStore(contents.enumerated().map { StoredRecord("Post", "p\($0)", $1) })
            let before = try store.snapshot()
            let error = await #expect(throws: MoltError.self) {
                try await store.upgrade(Self.step(.fail).onFailure(failures))
            }
            #expect(error?.code == .keyExists)
            #expect(try store.snapshot() == before)
        }
    }

    @Test func `keep their children if the new type has no name, and the block goes on`() async throws {
        let store = try OldStore(Self.posts([#"{"id":"x"}"#]), through: .migrator)
        let after = try await store.upgraded { migration in
            let error = #expect(throws: MoltError.self) {
                try migration.extractRecords("Post", ["c", .each], as: "", key: .property("id"))
            }
            #expect(error?.code == .stepFailed)
        }
        after.expect(#"Post p0 {"c":[{"id":"x"}],"n":0} until 4000000000.0"#)
    }

    // The other thread has taken the child out of p2 when p0 is visited.
    @Test func `A parent that has been read ahead and is merged into meanwhile keeps both changes`() async throws {
        let contents = [#"{"c":[{"id":"p2","n":1}]}"#, "{}", #"{"c":[{"id":"x"}],"n":2}"#, "{}", "{}"]
        let records = contents.enumerated().map { StoredRecord("A", "p\($0)", $1) }
        let store = try OldStore(records, through: .migrator)
        let after = try await store.upgraded { migration in
            try migration.extractRecords("A", ["c", .each], as: "A", key: .property("id"), onConflict: sum)
        }
        after.expect(including: #"A p0 {"c":["p2"]}"#, #"A p2 {"c":["x"],"n":3}"#, #"A x {"id":"x"}"#)
    }

    @Test func `A record that is there already takes part, and so do several children of one parent`() async throws {
        for (policy, first, second, child) in Self.cases {
            try await OldStore(Self.posts(["\(second),\(second.replacing("}", with: " }"))"], there: first))
                .upgraded(Self.step(policy))
                .expect(including: policyKeepsOrSums(child, policy, first, second))
        }
    }

    /// Two equal children and the record that is there: a closure runs for each.
    private func policyKeepsOrSums(_ child: String, _ policy: Policy, _ first: String, _ second: String) -> String {
        let child = if policy.runsClosure { first.replacing("\"n\":1", with: "\"n\":5") } else { child }
        return "C x \(child) until 9000000000.0"
    }

    @Test func `What a policy cannot decide stops the upgrade, and leaves the store as it was`() async throws {
        struct Refused: Error {}
        let refusing: [(Policy, String, String)] = [
            (.fail, Self.old, Self.new), (.newest(by: "n"), Self.old, Self.new.replacing("2,", with: "\"canary\",")),
            (.newest(by: "n"), #"{"id":"x"}"#, #"{"id":"x","n":true}"#),
            (.newest(by: "n"), Self.old, #"{"id":"x","n":"2026-01-01T00:00:00Z"}"#),
            (.merge { _, _ in throw Refused() }, Self.old, Self.new),
            (.merge { record, _ in record.key = "z" }, Self.old, Self.new),
            (.merge { record, _ in record.drop() }, Self.old, Self.new),
        ]
        for (policy, first, second) in refusing {
            let step = Self.step(policy).onFailure(.drop(upTo: .unlimited))
            let error = try await OldStore(Self.posts([first, second])).failure(step)
            if policy.runsClosure { error.expect(.stepFailed) } else { error.expect(.keyExists, key: "p1") }
            #expect(!"\(error)".contains("canary") && !"\(error)".contains("\"x\""))
        }
        // Another type is never merged.
        for policy in [Policy.keep, .newest(by: "n"), sum] {
            let records = Self.posts([Self.old]) + [StoredRecord("D", "x", Self.old)]
            try await OldStore(records).failure(Self.step(policy)).expect(.keyExists)
        }
    }

    @Test func `The samples of a dry run show each record once, and the objects that were lost`() throws {
        let store = try OldStore(Self.posts([Self.old, Self.new]))
        let report = try CacheFile(at: store.url).dryRunAndWait(registry(Self.step(.newest(by: "n"))), samples: 9)
        let samples = report.entries[0].steps[0].samples.filter { $0.type == "C" }
        #expect(
            samples.map { "\($0.description.split(separator: "\n")[0])" } == [
                "\"x\" of type C, deleted", "\"x\" of type C, created",
            ]
        )
        #expect(samples.last?.after?.object?["n"] == 2)
    }

    @Test func `A document's objects are merged with the values of a cache, in one transaction`() throws {
        let scratch = try ScratchDirectory()
        for (index, (policy, first, second, child)) in Self.cases.enumerated() {
            let cache = try CodableCache(at: scratch.file("\(index).molt"), migrations: registry(Self.step(policy)))
            try cache.set(document: Data(first.utf8), ofType: "C", writtenAt: 1, forKey: "x")
            let output = try cache.set(
                document: Data("{\"c\":[\(second)]}".utf8),
                ofType: "Post",
                writtenAt: 0,
                forKey: "p"
            )
            #expect(output.key == "p")
            #expect(try cache.storedText(forKey: "x") == child)
        }
        let cache = try CodableCache(at: scratch.file("old.molt"), migrations: registry(Self.step(.fail)))
        try cache.set(document: Data(Self.old.utf8), ofType: "C", writtenAt: 1, forKey: "x", expiry: .never)
        try cache.set(document: Data("{}".utf8), ofType: "D", writtenAt: 1, forKey: "z")
        func post(_ child: String) throws {
            try cache.set(document: Data("{\"c\":[\(child)]}".utf8), ofType: "Post", writtenAt: 0, forKey: "p")
        }
        for child in [Self.new, #"{"id":"z"}"#] {
            MoltError.thrown { try post(child) }?.expect(.keyExists, key: "p")
            #expect(try cache.keys().sorted() == ["x", "z"])
        }
        try post(Self.old.replacing(",", with: ", "))
        #expect(try cache.storedText(forKey: "x") == Self.old)
    }

    @Test func `In a document, the policy decides between its own objects`() throws {
        for (policy, first, second, child) in Self.cases {
            let documents = try DocumentUpgrade(registry(Self.step(policy)))
            let json = Data("{\"c\":[\(first),\(second)]}".utf8)
            let output = try documents.upgradeAll(json, ofType: "Post", writtenAt: 0, forKey: "p")
            #expect(output.map { String(decoding: $0.content, as: UTF8.self) } == [#"{"c":["x","x"]}"#, child])
        }
    }

    @Test(arguments: [[1, 2, 3], [3, 1, 2], [2, 2, 2], [1, 1, 4]])
    func `A closure runs for every record but the first, whether they are equal or not`(numbers: [Int]) async throws {
        let children = numbers.map { "{\"id\":\"x\",\"n\":\($0)}" }
        let store = try OldStore(Self.posts(children))
        try await store.upgraded(Self.step(sum)).expect(including: #"C x {"id":"x","n":6} until 4000000002.0"#)
        let json = Data("{\"c\":[\(children.joined(separator: ","))]}".utf8)
        let output = try DocumentUpgrade(registry(Self.step(sum))).upgradeAll(json, ofType: "Post", writtenAt: 0)
        #expect(output.dropFirst().map { String(decoding: $0.content, as: UTF8.self) } == [#"{"id":"x","n":6}"#])
        let twins = zip(["tAg", "Tag", "TAG"], numbers).map { StoredRecord("A", $0, "{\"n\":\($1)}") }
        try await OldStore(twins).upgraded(.renameKeys("A", to: .lowercased, onConflict: sum)).expect(
            #"A tag {"n":6}"#
        )
    }

    @Test(arguments: [true, false])
    func `A misspelled property of newest is noticed`(isFound: Bool) async throws {
        let path: PropertyPath = isFound ? "at" : "att"
        let store = try OldStore(Self.posts([Self.old, Self.new]) + [StoredRecord("A", "k", #"{"at":1}"#)])
        let report = try await store.upgrade(
            Self.step(.newest(by: path)),
            .renameKeys("A", to: .lowercased, onConflict: .newest(by: path))
        )
        let names = report.entries[0].steps.map { $0.unmatched.map { "\($0.type) \($0.nearest ?? "")" } }
        #expect(names == (isFound ? [[], []] : [["C at"], ["A at"]]))
    }
}

@Suite struct `Renaming the keys of records` {
    @Test(.through(.migrator)) func `A property gives the keys, also those that others give up`() async throws {
        let store = try OldStore([
            StoredRecord("A", "1", #"{"id":"2"}"#), StoredRecord("A", "2", #"{ "id":1}"#, expiration: 5e9),
            StoredRecord("A", "x", #"{"id":"x"}"#), StoredRecord("B", "y", #"{"id":"z"}"#),
            StoredRecord("A", "w", #"{"id":18446744073709551615}"#),
        ])
        let report = try await store.upgrade(.renameKeys("A", to: .property("id")))
        try store.snapshot().expect(
            #"A 2 {"id":"2"}"#,
            #"A 1 { "id":1} until 5000000000.0"#,
            #"A x {"id":"x"}"#,
            #"B y {"id":"z"}"#,
            #"A 18446744073709551615 {"id":18446744073709551615}"#
        )
        #expect("\(report.counts)" == "4 read, 3 changed")
        #expect(report.losses.isEmpty)
    }

    private static let twins = [
        StoredRecord("A", "TAG", #"{"n":3,"at":3}"#, expiration: 4e9), StoredRecord("A", "one", #"{"n":9}"#),
        StoredRecord("A", "Tag", #"{"n":1,"at":10.0}"#, expiration: 6e9),
        StoredRecord("A", "tag", #"{"n":2,"at":1e1}"#, expiration: 5e9),
    ]

    @Test(arguments: [0, 1, 2, 3], [1, 2, 3])
    func `Twins become one by the policy, in whatever order they were stored`(shift: Int, stride: Int) async throws {
        let order = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]][stride - 1]
        let records = order.map { Self.twins[($0 + shift) % 4] }
        let cases: [(Policy, String)] = [
            (.keep, #"{"n":2,"at":1e1}"#),
            // 10.0 and 1e1 are equal, so the content that comes last stays.
            (.newest(by: "at"), #"{"n":2,"at":1e1}"#), (.newest(by: "n"), #"{"n":3,"at":3}"#),
            (.newest(by: "absent"), #"{"n":3,"at":3}"#), (sum, #"{"n":6,"at":1e1}"#),
            (
                .merge { record, other in
                    let keys = record["keys"]?.array ?? [.string(record.key)]
                    record.replaceKeys(keys + [.string(other.key)])
                }, #"{"keys":["tag","TAG","Tag"]}"#
            ),
        ]
        for (policy, content) in cases {
            for entry in [EntryPoint.migrator, .inMemory] {
                let store = try OldStore(records, through: entry)
                let report = try await store.upgrade(.renameKeys("A", to: .lowercased, onConflict: policy))
                let after = try store.snapshot()
                after.expect(including: "A tag \(content) until 6000000000.0", #"A one {"n":9}"#)
                #expect(after.records.count == 2)
                #expect(report.counts.dropped == 2)
                #expect(report.losses.map(\.description) == ["2 records of type A merged with others of the same key"])
            }
        }
    }

    @Test func `Equal twins of two Unicode forms become one without a policy, and raw data, too`() async throws {
        let store = try OldStore([
            StoredRecord("A", "e\u{301}", #"{"a":1,"b":2}"#, expiration: 4e9), StoredRecord("A", "e\u{302}", "{}"),
            StoredRecord("A", "\u{E9}", #"{ "b":2,"a":1 }"#), StoredRecord("A", "a\u{308}", data: [1, 2]),
            StoredRecord("A", "\u{E4}", data: [1, 2]),
        ])
        let report = try await store.upgrade(.renameKeys("A", to: .precomposed))
        try store.snapshot().expect(keys: "\u{EA} \u{E9} \u{E4}")
        try store.snapshot().expect(including: "A \u{E9} { \"b\":2,\"a\":1 }")
        // Nothing is lost with a twin, and each record counts once.
        #expect("\(report.counts)" == "5 read, 1 changed, 2 dropped")
        #expect(report.losses.isEmpty)
    }

    @Test func `The samples of a dry run show each twin once, with the key that it gets`() throws {
        let store = try OldStore(Self.twins)
        let report = try CacheFile(at: store.url).dryRunAndWait(
            registry(.renameKeys("A", to: .lowercased, onConflict: .newest(by: "n"))),
            samples: 9
        )
        let samples = report.entries[0].steps[0].samples.map { "\($0.description.split(separator: "\n")[0])" }
        #expect(
            samples == [
                #""TAG" of type A, now "tag""#, #""Tag" of type A, deleted"#, #""tag" of type A, deleted"#,
            ]
        )
    }

    @Test func `Messages have the old keys, and no value of the property that gives the new ones`() async throws {
        let first = StoredRecord("A", "a", #"{"mail":"canary","n":1}"#)
        for other in [StoredRecord("A", "b", #"{"mail":"canary"}"#), StoredRecord("B", "canary", "{}")] {
            let step = MigrationStep.renameKeys("A", to: .property("mail"))
            let error = try await OldStore([first, other]).failure(step)
            error.expect(.keyExists, says: "from \"mail\"")
            #expect("\(error)".contains("\"a\"") && !"\(error)".contains("canary"))
        }
    }

    @Test func `Different twins, and a key of another type, stop the upgrade whatever the failure policy`() async throws
    {
        let error = try await OldStore(Self.twins)
            .failure(MigrationStep.renameKeys("A", to: .lowercased).onFailure(.drop(upTo: .unlimited)))
        error.expect(.keyExists, key: "TAG")
        #expect(
            error.problem == """
                The records "tag" and "TAG" of type A would both get the same key, from lower case, and they differ.
                """
        )
        let other = Self.twins.dropLast() + [StoredRecord("B", "tag", "{}")]
        for policy in [Policy.keep, .newest(by: "n"), sum] {
            let step = MigrationStep.renameKeys("A", to: .lowercased, onConflict: policy)
            try await OldStore(Array(other)).failure(step).expect(.keyExists)
        }
        let mixed = [
            StoredRecord("A", "a", #"{"at":1}"#), StoredRecord("A", "A", #"{"at":"2026-01-01"}"#),
            StoredRecord("A", "ä", "{}"), StoredRecord("A", "Ä", #"{"at":"never"}"#),
        ]
        for records in [mixed[...1], mixed[2...]] {
            let step = MigrationStep.renameKeys("A", to: .lowercased, onConflict: .newest(by: "at"))
            try await OldStore(Array(records)).failure(step).expect(.keyExists)
        }
    }

    @Test func `Dates are compared as dates, and a record without one is the oldest`() async throws {
        let records = [
            StoredRecord("A", "a", #"{"at":"2026-01-01T00:30:00+01:00"}"#),
            StoredRecord("A", "A", #"{"at":"2025-12-31T23:45:00.250Z"}"#),
            StoredRecord("A", "b", #"{"at":null,"z":1}"#), StoredRecord("A", "B", #"{"at":"2026-01-01"}"#),
            StoredRecord("A", "c", #"{"at":9007199254740993}"#), StoredRecord("A", "C", #"{"at":9007199254740992.5}"#),
        ]
        try await OldStore(records).upgraded(.renameKeys("A", to: .lowercased, onConflict: .newest(by: "at")))
            .expect(
                #"A a {"at":"2025-12-31T23:45:00.250Z"}"#,
                #"A b {"at":"2026-01-01"}"#,
                #"A c {"at":9007199254740993}"#
            )
    }

    @Test func `A record without a new key is subject to the failure policy, and the others are merged`() async throws {
        let records = [
            StoredRecord("A", "a", #"{"id":"z","n":1}"#), StoredRecord("A", "b", #"{"n":2}"#),
            StoredRecord("A", "c", #"{"id":"","n":2}"#), StoredRecord("A", "d", #"{"id":"z","n":2}"#),
        ]
        let step = MigrationStep.renameKeys("A", to: .property("id"), onConflict: .keep)
        try await OldStore(records).failure(step).expect(.typeMismatch, key: "b")
        let store = try OldStore(records)
        let report = try await store.upgrade(step.onFailure(.quarantine(upTo: 2)))
        #expect(report.counts.quarantined == 2)
        try store.snapshot().expect(#"A z {"id":"z","n":1}"#)
    }

    @Test func `A block does the same, and later enumerations see the records as they were`() async throws {
        let after = try await OldStore(Self.twins).upgraded(
            .run { migration in
                try migration.renameKeys("A", to: .lowercased, onConflict: sum)
                try migration.enumerate("A") { old, new in new["old"] = .string(old.key) }
            }
        )
        after.expect(
            #"A one {"n":9,"old":"one"}"#,
            #"A tag {"n":6,"at":1e1,"old":"tag"} until 6000000000.0"#
        )
    }
}

extension Record {
    fileprivate mutating func replaceKeys(_ keys: [RecordValue]) {
        for name in propertyNames { self[PropertyPath(name)] = nil }
        self["keys"] = .array(keys)
    }
}
