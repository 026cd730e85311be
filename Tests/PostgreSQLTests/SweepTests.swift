#if PostgreSQLTests

    import Foundation
    import Generators
    import Molt
    import MoltCore
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
                for work in [Work.read, .edit(version: 2), .edit(version: 6)] {
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

        /// The row changes between the query and the update of a reader.
        @Test(arguments: [1, 6]) func `A change by another process is kept`(version: Int) throws {
            try table.create(documents: 0, samples, seed: 4)
            let old = try samples.document(1, edit: 0, at: 1)
            let changed = try samples.document(1, edit: 1, at: version)
            try table.connection.execute(
                "INSERT INTO documents VALUES ($1, $2, $3, $4)",
                [old.key, old.type, "1", old.content]
            )
            let connection = InterferingConnection(connection: table.connection) {
                try table.connection.execute(
                    "UPDATE documents SET key = $1, type = $2, version = $3, content = $4",
                    [changed.key, changed.type, "\(version)", changed.content]
                )
            }
            let read = try DocumentTable(connection: connection, documents: samples.latest).document(forKey: old.key)
            #expect(try Samples.edit(of: #require(read).content) == 0)
            let rows = try table.connection.rows("SELECT key, type, version, content FROM documents", [])
            #expect(rows.map(\.version) == [version])
            #expect(rows.map(\.content) == [changed.content])
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

        @Test func `A document that cannot be upgraded is named, and the others are upgraded`() throws {
            try table.create(documents: 300, samples, seed: 3)
            let broken = try table.connection.strings(
                "UPDATE documents SET version = 1, type = 'Person', content = '{\"fullName\":1}' "
                    + "WHERE key IN ('7', 'people/7') RETURNING key"
            )
            let documents = DocumentTable(connection: table.connection, documents: samples.latest)
            while try documents.upgradeBatch() {}
            let problems = try table.connection.strings("SELECT key, problem FROM documents WHERE version < 6")
            #expect(problems.map(\.first) == broken.map(\.first))
            #expect(problems.first?.last?.contains("split-full-name") == true)
        }

        // MARK: Workers

        /// Four workers at a time, each of which is killed by its own connection while it upgrades documents.
        private func killWorkers() async throws {
            try await withThrowingTaskGroup { group in
                for slot in 0..<4 {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(slot))
                        for _ in 0..<6 {
                            let work = Work.sweepUntilKilled(statements: random.below(2000))
                            try await work.runInProcess()
                        }
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

        /// The number of upgraded documents that no reader and no writer has touched, with those that were created so.
        private func upgradedByWorkers() throws -> Int {
            let number = "replace(key, 'people/', '')::int"
            return try table.count(
                "documents WHERE version = 6 AND \(number) >= \(Samples.readCount) "
                    + "AND \(number) NOT IN (SELECT number FROM writes)"
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
                schemaVersion: 0,
                records: (0..<Samples.count).map { number in
                    .init("\(number)", "Alien", .json(Samples.original(number, edit: edits[number] ?? 0)))
                }
            ).migrated(through: Samples.migrations)
            var expected: [String: StoreFixture.Record] = [:]
            for record in cache.fixture.records { expected[record.key] = record }
            let rows = try table.connection.rows("SELECT key, type, version, content FROM documents", [])
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
