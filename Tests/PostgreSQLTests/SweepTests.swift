#if PostgreSQLTests

    import Foundation
    import Generators
    import Molt
    import MoltTesting
    import Testing

    @Suite(.serialized) struct `Documents in a PostgreSQL table` {
        private let samples: Samples
        private let table: SampleTable

        init() throws {
            samples = try Samples()
            table = SampleTable(connection: try PostgreSQLConnection())
        }

        @Test func `Workers that are killed, readers and writers lose and double no document`() async throws {
            try table.create(documents: Samples.count, samples, seed: 1)
            let before = try upgradedByWorkers()
            try await withThrowingTaskGroup { group in
                for work in [Work.read(seed: 1), .read(seed: 2), .edit(version: 2), .edit(version: 6)] {
                    group.addTask { try await work.runInProcess() }
                }
                do {
                    try await killWorkers()
                    #expect(try upgradedByWorkers() > before)
                    #expect(try table.count("documents WHERE version < 6") > 0)
                } catch {
                    Issue.record(error)
                }
                try table.stop()
                try await group.waitForAll()
            }
            #expect(try table.count("writes") > 0)
            while try table.count("documents WHERE version < 6 AND problem IS NULL") > 0 { try await sweep(by: 4) }
            try compareWithCache()
        }

        @Test func `Reading stores nothing, and a writer first stores the document in today's form`() throws {
            try table.create(documents: 0, samples, seed: 4)
            let old = try samples.document(1, edit: 0, at: 1)
            let new = try samples.documents(1, edit: 0, at: 6)
            try table.insert([old])
            let documents = DocumentTable(connection: table.connection, documents: samples.latest)
            let read = try #require(try documents.document(forKey: old.key))
            #expect(String(decoding: read.content, as: UTF8.self) == new[0].content)
            #expect(try table.rows().map(\.content) == [old.content])

            try documents.upgradeDocument(forKey: old.key)
            #expect(try table.rows().map(\.content) == [new[1].content, new[0].content])
            try table.insert([Row(key: "2", type: "Person", version: 1, content: #"{"fullName":1}"#)])
            #expect(throws: MoltError.self) { try documents.upgradeDocument(forKey: "2") }
            #expect(try table.count("documents WHERE version = 1 AND problem IS NULL") == 1)
        }

        @Test(arguments: [1, 2, 4]) func `Workers share the documents`(workers: Int) async throws {
            try table.create(documents: Samples.count, samples, seed: 2)
            let older = try table.count("documents WHERE version < 6")
            try await sweep(by: workers)
            #expect(try table.count("documents WHERE version < 6") == 0)
            let times = try table.connection.strings("SELECT max(ended) - min(began) FROM sweeps")
            let seconds = try #require(Double(times.first?.first ?? ""))
            print("Workers: \(workers). Documents per second: \(Int(Double(older) / seconds)).")
            try compareWithCache()
        }

        @Test func `A document that cannot be upgraded is named until it can be`() throws {
            try table.create(documents: 300, samples, seed: 3)
            try table.connection.execute("DELETE FROM documents WHERE replace(key, 'people/', '') IN ('7', '8')")
            try table.insert(["7", "8"].map { Row(key: $0, type: "Person", version: 1, content: #"{"fullName":1}"#) })
            let documents = DocumentTable(connection: table.connection, documents: samples.latest)
            while try documents.upgradeBatch() {}
            let problems = try table.connection.strings(
                "SELECT key, problem FROM documents WHERE version < 6 ORDER BY key"
            )
            #expect(problems.map(\.first) == ["7", "8"])
            #expect(problems.allSatisfy { $0[1].contains("split-full-name") })

            // A writer clears the problem, also one that first stores the document in today's form.
            try table.edit(7, at: 1, samples)
            while try documents.upgradeBatch() {}
            try table.connection.execute("UPDATE documents SET content = '{\"fullName\":\"Ada King\"}' WHERE key = '8'")
            try documents.upgradeDocument(forKey: "8")
            #expect(try table.count("documents WHERE version < 6 OR problem IS NOT NULL") == 0)
        }

        @Test func `A document whose new key is taken waits for a decision, and the others are upgraded`() throws {
            try table.create(documents: 0, samples, seed: 6)
            // The key of 1 is taken by a document of today; 3 and 4 get one key.
            let first = try [samples.document(1, edit: 0, at: 6), samples.document(1, edit: 1, at: 1)]
            let others = try (2..<200).map { try samples.document($0, edit: 0, at: $0 % 5) }
            try table.insert(first + others)
            let folding = Migration(
                to: 7,
                "fold",
                .transform("Person") { if $0.key == "people/3" || $0.key == "people/4" { $0.key = "people/both" } }
            )
            let migrations = MigrationRegistry(Samples.migrations.migrations + [folding])
            let documents = try DocumentTable(connection: table.connection, documents: DocumentUpgrade(migrations))
            while try documents.upgradeBatch() {}

            let waiting = "SELECT key, content, problem FROM documents WHERE version < 7 ORDER BY key"
            let rows = try table.connection.strings(waiting)
            try #require(rows.count == 2)
            #expect(rows[0].prefix(2) == ["1", first[1].content])
            #expect(rows[0][2].contains("(people/1) already exists"))
            #expect(["3", "4"].contains(rows[1][0]))
            #expect(rows[1][2].contains("(people/both) already exists"))
            #expect(try documents.document(forKey: rows[1][0])?.key == "people/both")
            #expect(throws: Unsuitable.self) { try documents.upgradeDocument(forKey: rows[1][0]) }

            // The decision.
            try table.connection.execute("DELETE FROM documents WHERE key IN ('people/1', 'people/both')")
            try table.connection.execute("UPDATE documents SET problem = NULL")
            while try documents.upgradeBatch() {}
            #expect(try table.count("documents WHERE version < 7 OR problem IS NOT NULL") == 0)
            let kept = try #require(try documents.document(forKey: "people/1"))
            #expect(try Samples.edit(of: kept.content) == 1)
            #expect(try documents.document(forKey: "people/both") != nil)
        }

        @Test func `A key that is taken at the moment of the update stops no other document`() throws {
            try table.create(documents: 0, samples, seed: 7)
            try table.insert((1..<100).map { try samples.document($0, edit: 0, at: 1) })
            let other = SampleTable(connection: try PostgreSQLConnection())
            var isTaken = false
            let connection = InterferingConnection(connection: table.connection) {
                guard !isTaken else { return }
                isTaken = true
                try other.insert([Row(key: "people/7", type: "Person", version: 6, content: "{}")])
            }
            let documents = DocumentTable(connection: connection, documents: samples.latest)
            while try documents.upgradeBatch() {}
            let problems = try table.connection.strings("SELECT key, problem FROM documents WHERE version < 6")
            try #require(problems.map(\.first) == ["7"])
            #expect(problems[0][1].contains("(people/7) already exists"))
        }

        /// The city of 3 to 5 is stored in today's form, that of 6 to 8 before the last migration, and that of 9 to 11
        /// with another content.
        @Test func `An extracted document may be stored already, and another one with its key waits for a decision`()
            throws
        {
            try table.create(documents: 0, samples, seed: 8)
            try table.insert((0..<12).map { try samples.document($0, edit: 0, at: 1) })
            try table.insert([
                samples.documents(3, edit: 0, at: 6)[1],
                Row(key: "city/2", type: "City", version: 5, content: samples.documents(6, edit: 0, at: 6)[1].content),
                Row(key: "city/3", type: "City", version: 6, content: #"{"id":"city/3","name":"Atlantis"}"#),
            ])
            let documents = DocumentTable(connection: table.connection, documents: samples.latest)
            while try documents.upgradeBatch() {}
            let waiting = "SELECT key, problem FROM documents WHERE version < 6 ORDER BY key"
            #expect(
                try table.connection.strings(waiting)
                    == ["10", "11", "9"].map { [$0, "It contains another city/3 than is stored."] }
            )
            #expect(try documents.document(forKey: "9")?.key == "people/9")
            #expect(try table.count("documents WHERE type = 'City'") == 4)

            // The decision.
            try table.connection.execute("DELETE FROM documents WHERE key = 'city/3'")
            try table.connection.execute("UPDATE documents SET problem = NULL")
            while try documents.upgradeBatch() {}
            #expect(try table.count("documents WHERE version < 6") == 0)
            #expect(try table.count("documents WHERE type = 'City'") == 4)
        }

        @Test func `A document that a step turns into raw data keeps its content`() throws {
            try table.create(documents: 0, samples, seed: 5)
            try table.insert([samples.document(1, edit: 0, at: 1)])
            let raw = Migration(to: 2, "raw", .transform("Person") { try $0.replaceContent(with: Data([0xFF])) })
            let documents = try DocumentTable(connection: table.connection, documents: DocumentUpgrade([raw]))
            #expect(try documents.document(forKey: "1")?.isData == true)
            while try documents.upgradeBatch() {}
            #expect(try table.rows().map(\.content) == [samples.document(1, edit: 0, at: 1).content])
            let problems = try table.connection.strings("SELECT problem FROM documents")
            #expect(problems == [["The raw data of 1 does not fit in a text column."]])
        }

        // MARK: Workers

        /// Four workers at a time, each of which is killed by its own connection while it upgrades documents.
        private func killWorkers() async throws {
            try await withThrowingTaskGroup { group in
                for slot in 0..<4 {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(slot))
                        for statements in (0..<6).map({ _ in random.below(8000) }) {
                            try await Work.sweepUntilKilled(statements: statements).runInProcess()
                        }
                        try await Work.sweepUntilKilledInCommit(after: random.below(20)).runInProcess()
                    }
                }
                try await group.waitForAll()
            }
        }

        /// Workers that upgrade documents until each finds none.
        private func sweep(by workers: Int) async throws {
            try await withThrowingTaskGroup { group in
                for _ in 0..<workers { group.addTask { try await Work.sweep.runInProcess() } }
                try await group.waitForAll()
            }
        }

        /// The number of upgraded documents that no writer has touched, with those that were created so.
        private func upgradedByWorkers() throws -> Int {
            let number = "CASE WHEN type = 'Person' THEN replace(key, 'people/', '')::int END"
            return try table.count(
                "documents WHERE version = 6 AND type = 'Person' AND \(number) NOT IN (SELECT number FROM writes)"
            )
        }

        // MARK: Results

        /// Upgrades the last edit of each document in a cache, and compares it with the row of the table.
        private func compareWithCache() throws {
            var edits: [Int: Int] = [:]
            for columns in try table.connection.strings("SELECT number, max(edit) FROM writes GROUP BY number") {
                edits[try #require(Int(columns[0]))] = Int(columns[1])
            }
            let cache = try StoreFixture(
                version: 0,
                records: (0..<Samples.count).map { number in
                    .init("\(number)", "Alien", .json(Samples.original(number, edit: edits[number] ?? 0)))
                }
            ).migrated(through: Samples.migrations)
            var expected: [String: StoreFixture.Record] = [:]
            for record in cache.fixture.records { expected[record.key] = record }
            let rows = try table.rows()
            #expect(rows.count == expected.count)
            for row in rows {
                let found = expected.removeValue(forKey: row.key)
                let record = try #require(found)
                guard
                    row.type == record.typeName, row.version == Samples.migrations.version,
                    row.content.utf8.elementsEqual(record.content.bytes)
                else {
                    Issue.record("\(row) is \(record) in a cache")
                    return
                }
            }
            #expect(expected.isEmpty)
        }
    }
#endif
