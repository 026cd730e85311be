import Molt
import Testing

// A file is read ahead if a batch does not hold all its records, and a store in memory is not.
@Suite("Enumerating records in a block", .through(.migrator, .inMemory))
struct EnumerateTests {
    /// Eight people, p0 to p7, with a city among them.
    private static let records: [StoredRecord] =
        (0..<8).flatMap { number -> [StoredRecord] in
            let person = StoredRecord("Person", "p\(number)", #"{"number":\#(number)}"#)
            return number == 3 ? [person, StoredRecord("City", "rome", #"{"number":100}"#)] : [person]
        }

    private static let keys = "p0 p1 p2 p3 p4 p5 p6 p7"

    /// Upgrades a store with a block that enumerates the people.
    private func enumerated(
        _ visit: @escaping @Sendable (MigrationContext, Record, inout Record) throws -> Void
    ) async throws -> (visited: String, after: Snapshot) {
        let visited = Log<String>()
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("Person") { old, new in
                visited.append(old.key)
                try visit(migration, old, &new)
            }
        }
        return (visited.all.joined(separator: " "), after)
    }

    @Test func `Each record of the type is visited once, in their order, and old records do not change`() async throws {
        let (visited, after) = try await enumerated { migration, old, new in
            new["number"] = "changed"
            new["was"] = .int(try old.int("number"))
            let isOld = !old.contains("was")
            #expect(isOld)
            try migration.enumerate("Robot") { _, _ in throw Refusal() }
        }
        #expect(visited == Self.keys)
        after.expect(including: #"Person p5 {"number":"changed","was":5}"#, #"City rome {"number":100}"#)
    }

    @Test func `A second enumeration has the same old records, and the new ones as the first left them`() async throws {
        let seen = Log<String>()
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("Person") { _, new in
                new["number"] = .int(try new.int("number") * 10)
                new.key = "q" + new.key
            }
            for key in ["p3", "qp3"] { seen.append(try migration.line(forKey: key)) }
            try migration.enumerate("Person") { old, new in
                let isMoved = new.key == "q" + old.key
                #expect(isMoved)
                new["sum"] = .int(try old.int("number") + new.int("number"))
            }
        }
        seen.expect("none", #"Person qp3 {"number":30}"#)
        for n in 0..<8 { after.expect(including: #"Person qp\#(n) {"number":\#(10 * n),"sum":\#(11 * n)}"#) }
    }

    @Test func `Old records keep the type that they had when the block started`() async throws {
        let seen = Log<String>()
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.renameType("Person", to: "Human")
            for name in ["first", "second"] {
                try migration.enumerate("Human") { old, new in
                    seen.append("\(old.typeName)>\(new.typeName)" + (old.contains("first") ? " changed" : ""))
                    new[PropertyPath(name)] = 1
                }
            }
            try migration.renameType("City", to: "Human")
            try migration.enumerate("Human") { old, new in seen.append("\(old.typeName)>\(new.typeName)") }
        }
        #expect(seen.all.sorted() == ["City>Human"] + Array(repeating: "Person>Human", count: 24))
        after.expect(including: #"Human rome {"number":100}"#)
    }

    @Test func `Old records keep their type through renames between changes`() async throws {
        let seen = Log<String>()
        _ = try await OldStore(Self.records).upgraded { migration in
            try migration.renameType("City", to: "Town")
            try migration.enumerate("Person") { old, new in
                if try old.int("number") < 4 { new["changed"] = true }
            }
            // The two types swap their names, with old versions kept for only some of the people.
            try migration.renameType("Person", to: "Third")
            try migration.renameType("Town", to: "Person")
            try migration.renameType("Third", to: "Town")
            for type in ["Town", "Person", "Town"] {
                try migration.enumerate(type) { old, new in
                    seen.append("\(old.typeName)>\(type)" + (old.contains("changed") ? " changed" : ""))
                    if type == "Town" { new["again"] = true }
                }
            }
        }
        let people = Array(repeating: "Person>Town", count: 8)
        #expect(seen.all == people + ["City>Person"] + people)
    }

    @Test func `A record that joins the type during an enumeration keeps its own old type`() async throws {
        let seen = Log<String>()
        _ = try await enumerated { migration, old, new in
            if old.typeName != "Person" { seen.append("\(old.key) \(old.typeName)>\(new.typeName)") }
            if old.key == "p1" { try migration.renameType("City", to: "Person") }
        }
        seen.expect("rome City>Person")
    }

    @Test func `Records that a block created are visited only by the blocks after it`() async throws {
        let visited = Log<String>()
        _ = try await OldStore(Self.records).upgraded(
            .run { migration in
                try migration.create("Person", forKey: "before", ["number": 1])
                for _ in 0..<2 {
                    try migration.enumerate("Person") { old, _ in
                        visited.append(old.key)
                        try migration.create("Person", forKey: "copy-\(visited.count)", ["number": 1])
                    }
                }
            },
            .run { try $0.enumerate("Person") { old, _ in visited.append(old.key) } }
        )
        let created = (1...16).map { "copy-\($0)" }.joined(separator: " ")
        #expect(visited.all.joined(separator: " ") == "\(Self.keys) \(Self.keys) \(Self.keys) before \(created)")
    }

    // MARK: Deleting

    @Test func `After deletions, a second enumeration visits the other records, and may delete, too`() async throws {
        let seen = Log<String>()
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("Person") { old, new in
                let number = try old.int("number")
                if number % 2 == 0 { new.drop() }
                if number == 5 { try migration.delete(old.key) }
                new["number"] = .int(number + 10)
            }
            seen.append(try migration.summary)
            try migration.enumerate("Person") { old, new in
                seen.append("\(old.key) \(try old.int("number")) \(new.key) \(try new.int("number"))")
                if old.key == "p3" { new.drop() }
            }
        }
        seen.expect("City 1, Person 3", "p1 1 p1 11", "p3 3 p3 13", "p7 7 p7 17")
        after.expect(keys: "p1 rome p7")
    }

    @Test func `The visited record and later ones may be deleted by their keys, and stay deleted`() async throws {
        let (visited, after) = try await enumerated { migration, old, new in
            let number = try old.int("number")
            new["number"] = -1
            try migration.delete("p\(number + 1)")
            guard number % 4 == 2 else { return }
            let isDeleted = try migration.delete(old.key)
            #expect(isDeleted)
        }
        #expect(visited == "p0 p2 p4 p6")
        after.expect(#"Person p0 {"number":-1}"#, #"City rome {"number":100}"#, #"Person p4 {"number":-1}"#)
    }

    @Test func `Later records may be changed, and are visited in their current state`() async throws {
        let (_, after) = try await enumerated { migration, old, new in
            let number = try old.int("number")
            if var next = try migration.record(forKey: "p\(number + 1)") {
                next["from"] = .int(number)
                try migration.update(next)
            }
            let isOld = !old.contains("from")
            #expect(isOld)
            new["seen"] = true
        }
        after.expect(
            including: #"Person p0 {"number":0,"seen":true}"#,
            #"Person p6 {"number":6,"from":5,"seen":true}"#
        )
    }

    @Test func `Deleting or renaming the type ends the enumeration, which keeps its changes`() async throws {
        let deleted = try await enumerated { migration, old, new in
            new["number"] = -1
            guard old.key == "p2" else { return }
            let count = try migration.deleteAll(ofType: "Person")
            #expect(count == 8)
        }
        #expect(deleted.visited == "p0 p1 p2")
        deleted.after.expect(#"City rome {"number":100}"#)

        let renamed = try await enumerated { migration, old, new in
            new["number"] = -1
            if old.key == "p2" { try migration.renameType("Person", to: "Human") }
        }
        #expect(renamed.visited == "p0 p1 p2")
        renamed.after.expect(including: #"Human p2 {"number":-1}"#, #"Human p3 {"number":3}"#)
    }

    // MARK: Keys and types

    @Test func `A record can take the place of the visited one once that is deleted, and not before`() async throws {
        let after = try await OldStore([StoredRecord("City", "rome", "{}")]).upgraded { migration in
            try migration.enumerate("City") { old, new in
                // A drop takes effect when the closure has returned.
                new.drop()
                let error = MoltError.thrown { try migration.create("Town", forKey: old.key, ["was": "City"]) }
                error?.expect(.keyExists, key: "rome")
                #expect(
                    error?.message == """
                        A record of type Town would get the key "rome", which is already used by another record. Use a \
                        different key, or delete the other record or give it another key first.
                        """
                )
                try migration.delete(old.key)
                try migration.create("Town", forKey: old.key, ["was": .string(old.typeName)])
            }
            let line = try migration.line(forKey: "rome")
            #expect(line == #"Town rome {"was":"City"}"#)
        }
        after.expect(#"Town rome {"was":"City"}"#)
    }

    @Test func `Keys may be swapped, and are written after the last record was visited`() async throws {
        let seen = Log<String>()
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("Person") { old, new in
                new.key = "p\(7 - (try old.int("number")))"
                if old.key == "p7" { seen.append(try migration.line(forKey: "p0")) }
            }
            seen.append(try migration.line(forKey: "p0"))
        }
        seen.expect(#"Person p0 {"number":0}"#, #"Person p0 {"number":7}"#)
        after.expect(keys: "p7 p6 p5 p4 rome p3 p2 p1 p0")
    }

    @Test func `Setting a key that another record has, or gets meanwhile, fails and names the record`() async throws {
        let store = try OldStore(Self.records)
        try await store.failure { try $0.enumerate("City") { _, new in new.key = "p0" } }
            .expect(.keyExists, key: "rome", type: "City", says: "\"p0\"")
        try await store.failure { migration in
            try migration.enumerate("City") { _, new in
                new.key = "oslo"
                try migration.create("City", forKey: "oslo", ["number": 1])
            }
        }.expect(.keyExists, key: "rome")
    }

    @Test func `A record whose key is to change may still be deleted`() async throws {
        let (_, after) = try await enumerated { migration, old, new in
            new.key = "q" + old.key
            if old.key == "p5" { try migration.delete("p4") }
            if old.key == "p6" { try migration.delete("p6") }
        }
        after.expect(keys: "qp0 qp1 qp2 qp3 rome qp5 qp7")
    }

    @Test func `A record that gets another type is not visited again under that type`() async throws {
        let seen = Log<String>()
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("Person") { old, new in
                if try old.int("number") > 5 { new.typeName = "Elder" }
            }
            seen.append(try migration.summary)
            try migration.enumerate("Elder") { old, new in
                seen.append("\(old.key) \(old.typeName)")
                new["old"] = true
            }
        }
        seen.expect("City 1, Elder 2, Person 6", "p6 Person", "p7 Person")
        after.expect(including: #"Person p5 {"number":5}"#, #"Elder p7 {"number":7,"old":true}"#)
    }

    // MARK: Nested enumerations

    @Test func `Enumerations may be nested, even over the same type`() async throws {
        let pairs = Log<String>()
        let (_, after) = try await enumerated { migration, old, new in
            var sum = 0
            try migration.enumerate("Person") { inner, _ in
                pairs.append(old.key + inner.key)
                sum += try inner.int("number")
            }
            new["sum"] = .int(sum)
        }
        #expect(pairs.count == 64)
        #expect(Set(pairs.all).count == 64)
        for number in 0..<8 { after.expect(including: #"Person p\#(number) {"number":\#(number),"sum":28}"#) }
    }

    @Test func `An inner enumeration may change and delete records that the outer one visits, and others`() async throws
    {
        let (visited, after) = try await enumerated { migration, old, new in
            let isOld = !old.contains("marked")
            #expect(isOld)
            if new.contains("marked") { new["seen"] = true }
            if old.key == "p0" { try migration.enumerate("City") { _, city in city["seen"] = true } }
            guard ["p1", "p3"].contains(old.key) else { return }
            try migration.enumerate("Person") { inner, innerNew in
                if old.key == "p1", inner.key > "p1" { innerNew["marked"] = true }
                if old.key == "p3", ["p3", "p4", "p6"].contains(inner.key) { innerNew.drop() }
            }
        }
        #expect(visited == "p0 p1 p2 p3 p5 p7")
        after.expect(
            #"Person p0 {"number":0}"#,
            #"Person p1 {"number":1}"#,
            #"Person p2 {"number":2,"marked":true,"seen":true}"#,
            #"City rome {"number":100,"seen":true}"#,
            #"Person p5 {"number":5,"marked":true,"seen":true}"#,
            #"Person p7 {"number":7,"marked":true,"seen":true}"#
        )
    }

    // MARK: Errors

    @Test func `An error from the closure names the record by its stored key`() async throws {
        try await OldStore(Self.records).failure(
            .run("look") { migration in
                try migration.enumerate("Person") { old, new in
                    new.key = "changed"
                    if old.key == "p5" { throw Refusal(value: "five") }
                    new.key = old.key
                }
            }
        ).expect(.stepFailed, key: "p5", type: "Person", migration: "change", summary: "look", refusal: "five")
    }

    @Test func `The report counts the records that an enumeration read, changed, dropped and created`() async throws {
        let report = try await OldStore(Self.records).upgrade { migration in
            try migration.enumerate("Person") { old, new in
                switch try old.int("number") {
                case 0: new.drop()
                case 1: try migration.delete("p1")
                case 2, 3: new["x"] = 1
                case 4: try migration.create("City", forKey: "new", ["number": 1])
                default: break
                }
            }
        }
        #expect("\(report.counts)" == "8 read, 2 changed, 2 dropped, 1 created")
        #expect(report.entries[0].steps[0].counts == report.counts)
    }
}
