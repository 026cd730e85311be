import Foundation
import Molt

/// An upgrade that is measured from opening the file to closing it, and how to find out that it was made.
struct MoltUpgrade: Sendable {
    /// The name of the case.
    let name: String
    /// What the case does, for the reader of the table.
    let summary: String
    /// What is run.
    let migrations: MigrationRegistry
    /// The case that this one's rate is compared with in the table.
    var reference: String?
    /// Whether all contents are read.
    var isAboutContents = true
    /// Whether the process may use one core only.
    var isOnOneCore = false
    /// Whether a record, by its number, is still there afterwards; all are when nil.
    var remains: (@Sendable (Int) -> Bool)?
    /// How many of the records that are not there any more are in quarantine: all of them, or none.
    var setsAside = false
    /// Whether a record that is still there is what it should have become.
    let isRight: @Sendable (CodableCache, Int, RecordSize) throws -> Bool

    /// The upgrade as a case.
    var benchmark: BenchmarkCase {
        BenchmarkCase(
            name: name,
            summary: summary,
            isAboutContents: isAboutContents,
            isOnOneCore: isOnOneCore,
            fixture: MoltStore.fixture,
            reference: reference
        ) { context in
            let file = context.file(MoltStore.fileName)
            return BenchmarkTrial(count: context.records) {
                try CodableCache(at: file, migrations: migrations).close()
            } finish: {
                // Before it is opened, which would upgrade it.
                guard try CodableCache.schemaVersion(ofFileAt: file) == migrations.version else {
                    throw BenchmarkError("\(name): the store was not upgraded.")
                }
                try check(file, context)
            }
        }
    }

    private func check(_ file: URL, _ context: BenchmarkContext) throws {
        let cache = try CodableCache(at: file, migrations: migrations)
        defer { cache.close() }
        let expected = remains.map { remains in (1...context.records).count(where: remains) } ?? context.records
        let count = try cache.count()
        guard count == expected else {
            throw BenchmarkError("\(name): \(count) records are left, not \(expected).")
        }
        guard try cache.quarantinedCount == (setsAside ? context.records - expected : 0) else {
            throw BenchmarkError("\(name): \(try cache.quarantinedCount) records are in quarantine.")
        }
        for index in stride(from: 1, through: context.records, by: 97) {
            let isRight =
                if remains?(index) ?? true {
                    try isRight(cache, index, context.recordSize)
                } else {
                    try !cache.contains(People.key(index))
                }
            guard isRight else {
                throw BenchmarkError("\(name): record \(index) is not what it should have become.")
            }
        }
    }
}
