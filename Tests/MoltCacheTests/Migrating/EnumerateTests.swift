import Testing

@testable import Molt

// A file is read ahead if a batch does not hold all its records, and a store in memory is not.
@Suite("Enumerating records in a block", .through(.migrator, .inMemory))
struct EnumerateTests {
    /// Eight people, p0 to p7, with a city among them.
    private static let records: [StoredRecord] =
        (0..<8).flatMap { number -> [StoredRecord] in
            let person = StoredRecord("Person", "p\(number)", #"{"number":\#(number)}"#)
            return number == 3 ? [person, StoredRecord("City", "rome", #"{"number":100}"#)] : [person]
        }

    /// Upgrades a store with a block that enumerates the people.
    private func enumerated(
        _ visit: @escaping @Sendable (MigrationContext, Record, inout Record) throws -> Void
    ) async throws -> (visited: [String], after: Snapshot) {
        let visited = Log<String>()
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("Person") { old, new in
                visited.append(old.key)
                try visit(migration, old, &new)
            }
        }
        return (visited.all, after)
    }

    @Test func `An enumeration visits each record of the type once, in the order of insertion`() async throws {
        let visited = Log<String>()

        try await OldStore(Self.records).upgrade { migration in
            try migration.enumerate("Person") { old, _ in visited.append(old.key) }
            try migration.enumerate("Robot") { _, _ in throw Refusal() }
        }

        #expect(visited.all == (0..<8).map { "p\($0)" })
    }

    @Test func `Changing the new record does not change the old one`() async throws {
        let (_, after) = try await enumerated { _, old, new in
            new["number"] = "changed"
            new["was"] = .int(try old.int("number"))
            #expect(!old.contains("was"))
        }

        #expect(after["p5"]?.text == #"{"number":"changed","was":5}"#)
        #expect(after["rome"]?.text == #"{"number":100}"#)
    }

    @Test func `A second enumeration gives the same old records, and the new ones as the first left them`()
        async throws
    {
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("Person") { _, new in
                new["number"] = .int(try new.int("number") * 10)
                new.key = "q" + new.key
            }
            #expect(try migration.record(forKey: "p3") == nil)
            #expect(try migration.record(forKey: "qp3")?.int("number") == 30)
            try migration.enumerate("Person") { old, new in
                #expect("q" + old.key == new.key)
                let (was, number) = (try old.int("number"), try new.int("number"))
                #expect(number == 10 * was)
                new["sum"] = .int(was + number)
            }
        }

        #expect(after["qp7"]?.text == #"{"number":70,"sum":77}"#)
    }

    @Test func `Old records keep the type that they had when the block started`() async throws {
        let seen = Log<String>()

        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.renameType("Person", to: "Human")
            try migration.enumerate("Human") { old, new in
                seen.append("\(old.typeName)>\(new.typeName)")
                new["a"] = 1
            }
            try migration.enumerate("Human") { old, new in
                seen.append("\(old.typeName)>\(new.typeName)")
                #expect(!old.contains("a"))
            }
            try migration.renameType("City", to: "Human")
            try migration.enumerate("Human") { old, new in
                seen.append("\(old.typeName)>\(new.typeName)")
            }
        }

        let people = Array(repeating: "Person>Human", count: 8)
        #expect(Array(seen.all[..<16]) == people + people)
        #expect(seen.all[16...].sorted() == ["City>Human"] + people)
        #expect(after.types["rome"] == "Human")
    }

    @Test func `Old records keep their type through renames between changes`() async throws {
        _ = try await OldStore(Self.records).upgraded { migration in
            try migration.renameType("City", to: "Town")
            try migration.enumerate("Person") { old, new in
                if try old.int("number") < 4 { new["changed"] = true }
            }
            // The two types swap their names, with old versions kept for only some of the people.
            try migration.renameType("Person", to: "Third")
            try migration.renameType("Town", to: "Person")
            try migration.renameType("Third", to: "Town")
            try migration.enumerate("Town") { old, new in
                #expect(old.typeName == "Person")
                #expect(!old.contains("changed"))
                new["again"] = true
            }
            try migration.enumerate("Person") { old, _ in #expect(old.typeName == "City") }
            try migration.enumerate("Town") { old, _ in #expect(old.typeName == "Person") }
        }
    }

    @Test func `A record that joins the type during an enumeration keeps its own old type`() async throws {
        let seen = Log<String>()

        _ = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("Person") { old, new in
                seen.append("\(old.key) \(old.typeName)>\(new.typeName)")
                if old.key == "p1" { try migration.renameType("City", to: "Person") }
            }
        }

        #expect(seen.all.filter { !$0.hasSuffix("Person>Person") } == ["rome City>Person"])
    }

    @Test func `Records that the block created are not visited`() async throws {
        let visited = Log<String>()

        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.create("Person", forKey: "before", ["number": 1])
            try migration.enumerate("Person") { old, _ in
                visited.append(old.key)
                try migration.create("Person", forKey: "copy-\(old.key)", ["number": 1])
            }
            try migration.enumerate("Person") { old, _ in visited.append(old.key) }
        }

        #expect(visited.all.count == 16)
        #expect(!visited.all.contains { $0.hasPrefix("copy") || $0 == "before" })
        #expect(after.records.count == 18)
    }

    // MARK: Deleting

    @Test func `After deletions, a second enumeration visits the remaining records, and its deletions are made, too`()
        async throws
    {
        let seen = Log<String>()

        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("Person") { old, new in
                let number = try old.int("number")
                if number % 2 == 0 { new.drop() }
                if number == 5 { try migration.delete(old.key) }
                new["number"] = .int(number + 10)
            }
            #expect(try migration.count(ofType: "Person") == 3)
            try migration.enumerate("Person") { old, new in
                seen.append("\(old.key) \(try old.int("number")) \(new.key) \(try new.int("number"))")
                if old.key == "p3" { new.drop() }
            }
        }

        #expect(seen.all == ["p1 1 p1 11", "p3 3 p3 13", "p7 7 p7 17"])
        #expect(after.keys == ["p1", "rome", "p7"])
    }

    @Test func `The visited record may be deleted by its key, and stays deleted`() async throws {
        let (_, after) = try await enumerated { migration, old, new in
            new["number"] = -1
            guard old.key != "p4" else { return }
            let isDeleted = try migration.delete(old.key)
            #expect(isDeleted)
        }

        #expect(after.texts == ["p4": #"{"number":-1}"#, "rome": #"{"number":100}"#])
    }

    @Test func `Later records may be deleted, and are not visited`() async throws {
        let (visited, after) = try await enumerated { migration, old, _ in
            try migration.delete("p\(try old.int("number") + 1)")
        }

        #expect(visited == ["p0", "p2", "p4", "p6"])
        #expect(after.keys == ["p0", "p2", "rome", "p4", "p6"])
    }

    @Test func `Later records may be changed, and are visited in their current state`() async throws {
        let (_, after) = try await enumerated { migration, old, new in
            let number = try old.int("number")
            if var next = try migration.record(forKey: "p\(number + 1)") {
                next["from"] = .int(number)
                try migration.update(next)
            }
            #expect(!old.contains("from"))
            new["seen"] = true
        }

        #expect(after["p0"]?.text == #"{"number":0,"seen":true}"#)
        #expect(after["p6"]?.text == #"{"number":6,"from":5,"seen":true}"#)
    }

    @Test(arguments: [false, true])
    func `Deleting or renaming the type ends the enumeration, which keeps its changes`(isRenamed: Bool) async throws {
        let (visited, after) = try await enumerated { migration, old, new in
            new["number"] = -1
            guard old.key == "p2" else { return }
            if isRenamed { return try migration.renameType("Person", to: "Human") }
            let count = try migration.deleteAll(ofType: "Person")
            #expect(count == 8)
        }

        #expect(visited == ["p0", "p1", "p2"])
        if isRenamed {
            #expect(after["p2"]?.type == "Human")
            #expect(after["p2"]?.text == #"{"number":-1}"#)
            #expect(after["p3"]?.text == #"{"number":3}"#)
        } else {
            #expect(after.keys == ["rome"])
        }
    }

    // MARK: Keys and types

    @Test
    func `A record takes the place of the visited one after that was deleted; before, creating it fails at the call`()
        async throws
    {
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("City") { old, new in
                // A drop takes effect when the closure has returned.
                new.drop()
                let error = #expect(throws: MoltError.self) {
                    try migration.create("Town", forKey: old.key, ["was": "City"])
                }
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
            #expect(try migration.record(forKey: "rome")?.typeName == "Town")
        }

        #expect(after["rome"]?.type == "Town")
        #expect(after["rome"]?.text == #"{"was":"City"}"#)
        #expect(after.records.filter { $0.type == "City" }.isEmpty)
    }

    @Test func `Keys may be swapped, and are written after the last record was visited`() async throws {
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("Person") { old, new in
                new.key = "p\(7 - (try old.int("number")))"
                #expect(try migration.record(forKey: old.key) != nil)
            }
            #expect(try migration.record(forKey: "p0")?.int("number") == 7)
        }

        #expect(after.texts["p1"] == #"{"number":6}"#)
        #expect(after.keys == ["p7", "p6", "p5", "p4", "rome", "p3", "p2", "p1", "p0"])
    }

    @Test func `Setting a key that another record has, or gets in the meantime, fails and names the record`()
        async throws
    {
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

        #expect(after.keys == ["qp0", "qp1", "qp2", "qp3", "rome", "qp5", "qp7"])
    }

    @Test func `A record that gets another type is not visited again under that type`() async throws {
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("Person") { old, new in
                if try old.int("number") > 5 { new.typeName = "Elder" }
            }
            #expect(try migration.count(ofType: "Elder") == 2)
            try migration.enumerate("Elder") { old, new in
                #expect(old.typeName == "Person")
                new["old"] = true
            }
        }

        #expect(after.types["p6"] == "Elder")
        #expect(after["p7"]?.text == #"{"number":7,"old":true}"#)
        #expect(after.types["p5"] == "Person")
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
        for number in 0..<8 { #expect(after["p\(number)"]?.text == #"{"number":\#(number),"sum":28}"#) }
    }

    @Test func `An inner enumeration may change the records that the outer one visits later`() async throws {
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("City") { _, _ in
                try migration.enumerate("Person") { _, new in new["city"] = "rome" }
            }
            try migration.enumerate("Person") { old, new in
                #expect(!old.contains("city"))
                if old.key == "p1" {
                    try migration.enumerate("Person") { _, inner in
                        if inner.key > "p1" { inner["marked"] = true }
                    }
                }
                if new.contains("marked") { new["seen"] = true }
            }
        }

        #expect(after["p1"]?.text == #"{"number":1,"city":"rome"}"#)
        #expect(after["p2"]?.text == #"{"number":2,"city":"rome","marked":true,"seen":true}"#)
        #expect(after["p7"]?.text == #"{"number":7,"city":"rome","marked":true,"seen":true}"#)
    }

    @Test func `An inner enumeration may delete the record that the outer one visits, and later ones`() async throws {
        let (visited, after) = try await enumerated { migration, old, new in
            new["number"] = -1
            guard old.key == "p3" else { return }
            try migration.enumerate("Person") { inner, innerNew in
                if ["p3", "p4", "p6"].contains(inner.key) { innerNew.drop() }
            }
        }

        #expect(visited == ["p0", "p1", "p2", "p3", "p5", "p7"])
        #expect(after.keys == ["p0", "p1", "p2", "rome", "p5", "p7"])
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
