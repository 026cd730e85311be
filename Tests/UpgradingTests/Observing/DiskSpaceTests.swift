import Foundation
import Molt
import TestSupport
import Testing

@Suite("The disk space of an upgrade")
struct DiskSpaceTests {
    /// A store and what is done with it.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// The size of a record's text, in bytes.
        var size = 200
        /// Every which record is of type Note; the others are of type Other.
        var share = 1
        /// Whether the notes come before the others.
        var isSorted = false
        var hasBackup = false
        let steps: [MigrationStep]

        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "a rename", steps: [.renameProperty("Note", "text", to: "body")]),
        Case(
            name: "a rename after that of the type, with a backup",
            hasBackup: true,
            steps: [.renameType("Note", to: "Letter"), .renameProperty("Letter", "text", to: "body")]
        ),
        Case(
            name: "one type of two, one after the other",
            share: 3,
            isSorted: true,
            steps: [.renameProperty("Note", "text", to: "body")]
        ),
        Case(name: "a few records everywhere", share: 200, steps: [.renameProperty("Note", "text", to: "body")]),
        Case(name: "large records", size: 12_000, steps: [.renameProperty("Note", "text", to: "body")]),
        Case(name: "a deleted type", steps: [.deleteType("Note")]),
        Case(name: "a block", steps: [.run { try $0.enumerate("Note") { _, new in new["isNew"] = true } }]),
        Case(name: "what is handed over", steps: [.handOverRecords("Note", to: "a file") { _ in }]),
    ]

    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    /// The migrations of a store with records of a case, and then its steps.
    private static func migrations(_ test: Case, then steps: [MigrationStep]? = nil) -> MigrationRegistry {
        let fill = MigrationStep.run(onFreshStore: true) { migration in
            let count = 600_000 / test.size
            for number in 0..<count {
                let isNote = test.isSorted ? number < count / test.share : number % test.share == 0
                let text = String(repeating: "t", count: test.size * (3 + number % 3) / 4)
                try migration.create(isNote ? "Note" : "Other", forKey: "key-\(number)", ["text": .string(text)])
            }
        }
        return [Migration(to: 1, "fill", fill), Migration(to: 2, "change", steps: steps ?? test.steps)]
    }

    private func fill(_ url: URL, _ test: Case) throws {
        try CodableCache(at: url, migrations: Self.migrations(test).upTo(version: 1)).close()
    }

    @Test(arguments: cases) func `is estimated within a fifth, and measured`(test: Case) throws {
        let url = directory.file()
        try fill(url, test)
        let migrations = Self.migrations(test)
        let configuration = MoltConfiguration { $0.backup = test.hasBackup ? BackupPolicy() : nil }
        let plan = try CacheFile(at: url).plan(migrations, configuration: configuration)
        let rehearsed = try CacheFile(at: url).dryRunAndWait(migrations, configuration: configuration).space
        let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
        let measured = try #require(cache.report.space)
        cache.close()
        let estimated = try #require(plan.space)
        // Records that are handed over are removed from the file after the commit.
        let file = try #require(FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int64)
        #expect(measured.after >= file)
        for found in [estimated, try #require(rehearsed)] {
            #expect(Self.isNear(found.peak, measured.peak), "\(found) for \(measured)")
            #expect(Self.isNear(found.after, measured.after), "\(found) for \(measured)")
        }
    }

    private static func isNear(_ number: Int64, _ other: Int64) -> Bool {
        abs(Double(number - other)) <= 0.2 * Double(other)
    }

    @Test func `counts the file of an import`() throws {
        let foreign = try ForeignStore("grdb")
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "import",
                .importTable(
                    "setting",
                    of: foreign.url,
                    as: "Setting",
                    key: .text("key"),
                    columns: ["key": .text("key")]
                )
            )
        ]
        try CodableCache(at: foreign.store, migrations: []).close()
        let size = try #require(FileManager.default.attributesOfItem(atPath: foreign.url.path)[.size] as? Int64)
        let space = try #require(CacheFile(at: foreign.store).plan(migrations).space)
        #expect(space.peak >= 2 * size && space.after >= size)
    }

    @Test func `is estimated where ids are missing, and in a file with impossible ids`() throws {
        let url = directory.file()
        let test = Case(name: "", share: 2, isSorted: true, steps: [.renameProperty("Note", "text", to: "body")])
        try fill(url, test)
        let plan = { try #require(try CacheFile(at: url).plan(Self.migrations(test)).space) }
        let before = try plan()
        let connection = try SQLite(url)
        try connection.run("UPDATE molt_record SET id = id + 1000000000 WHERE id > 1500")
        // The records of both types are as many as before, and lie beside each other as before.
        let spread = try plan().peak
        #expect(spread < 2 * before.peak && spread > before.peak / 2)
        try connection.run("UPDATE molt_record SET id = -9223372036854775808 WHERE id = 1")
        try connection.run("UPDATE molt_record SET id = 9223372036854775807 WHERE id = 2")
        #expect(try plan().peak > 0)
    }

    @Test func `is next to none if no record is written`() throws {
        let url = directory.file()
        try fill(url, Self.cases[0])
        var migrations = Self.migrations(Self.cases[0], then: [.renameType("Note", to: "Letter")])
        migrations.register(Migration(to: 3, "later", .renameProperty("Letter", "text", to: "body")).onRead())
        #expect(try CacheFile(at: url).plan(migrations).space == nil)
        let cache = try CodableCache(at: url, migrations: migrations)
        #expect((cache.report.space?.peak ?? 0) < 100_000)
        cache.close()
        #expect(try CacheFile(at: url).plan(migrations).space == nil)
        #expect(try CodableCache(inMemory: migrations).report.space == nil)
    }

    @Test func `is shown from a megabyte on`() throws {
        let url = directory.file()
        try fill(url, Self.cases[0])
        let file = CacheFile(at: url)
        let migrations = Self.migrations(Self.cases[0])
        let backingUp = MoltConfiguration { $0.backup = BackupPolicy() }
        #expect(try "\(file.plan(migrations, configuration: backingUp))".contains("disk space: about 1."))
        #expect(try !"\(file.plan(migrations))".contains("disk space"))
        let report = try file.dryRunAndWait(migrations, configuration: backingUp)
        #expect("\(report)".contains("\ndisk space: 1."))
    }

    #if os(Linux) && CHILD_PROCESSES
        @Test(.enabled(if: Mounts.areAllowed)) func `is refused before anything is written if it is not there`()
            async throws
        {
            try fill(directory.file("large"), Self.cases[0])
            await #expect(processExitsWith: .success) { [path = directory.url.path as String] in
                let directory = URL(filePath: path)
                let volume = directory.appending(path: "volume")
                try FileManager.default.createDirectory(at: volume, withIntermediateDirectories: false)
                try #require(Mounts.mountVolume(of: 1_150, on: volume))
                let url = volume.appending(path: "store")
                try FileManager.default.copyItem(at: directory.appending(path: "large"), to: url)
                let before = try Data(contentsOf: url)
                let migrations = DiskSpaceTests.migrations(DiskSpaceTests.cases[0])
                let error = MoltError.thrown { try CodableCache(at: url, migrations: migrations) }
                error?.expect(.storeFailed, says: "where only")
                #expect(error?.isOutOfSpace == true && error?.outcome == .unchanged)
                #expect(try Data(contentsOf: url) == before)
                // A block may change little, so it is not refused.
                let block = MigrationStep.run { try $0.delete("key-1") }
                let small = DiskSpaceTests.migrations(.init(name: "", steps: [block]))
                #expect(try CodableCache(at: url, migrations: small).report.to == 2)
                // The app may try it all the same.
                for name in try FileManager.default.contentsOfDirectory(atPath: volume.path) {
                    try FileManager.default.removeItem(at: volume.appending(path: name))
                }
                try FileManager.default.copyItem(at: directory.appending(path: "large"), to: url)
                let trying = MoltConfiguration { $0.checksDiskSpace = false }
                let full = MoltError.thrown {
                    try CodableCache(at: url, migrations: migrations, configuration: trying)
                }
                #expect(try full?.isOutOfSpace == true && CacheFile(at: url).version() == 1)
            }
        }
    #endif
}
