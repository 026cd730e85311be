import Foundation
import Molt
import TestSupport

/// An app that brings the records of another library into its store, and then removes that library's files.
struct ImportScenario: Codable, Sendable {
    enum Source: String, Codable, Sendable, CaseIterable {
        /// A database with a log, which `importTable` reads.
        case table
        /// A file of lines, which a closure of `importRecords` reads.
        case lines
    }

    /// What a test finds.
    struct Left: Equatable {
        /// Whether the store has all records; if not, it has none.
        var hasRecords: Bool
        /// Whether the files of the source are as they were; if not, they are gone.
        var hasSource: Bool
    }

    /// The closure that removes the source begins, and has removed it.
    static let removes = UpgradePoint(.delete, "the source")
    static let hasRemoved = UpgradePoint(.delete, "nothing more")

    private static let count = 20

    let source: Source
    let place: TestPlace
    private let files: [String: [UInt8]]
    /// The number of bytes that each record has beside its name.
    private let size: Int

    /// Writes the source, and for a table a store, so that both an old and a new store are tried.
    init(_ source: Source, at place: TestPlace = TestPlace(), size: Int = 0) throws {
        (self.source, self.place, self.size) = (source, place, size)
        try place.makeDirectory()
        switch source {
        case .table:
            try Self.writeDatabase(place.source, Self.names(size))
            try CodableCache(at: place.cache).close()
        case .lines:
            let lines = Self.names(size).joined(separator: "\n")
            try Data(lines.utf8).write(to: place.source)
        }
        files = try place.sourceFiles()
    }

    private static func names(_ size: Int) -> [String] {
        (1...count).map { "name \($0)" + String(repeating: "n", count: size) }
    }

    /// Writes half of the rows to the file, and the others to its log.
    private static func writeDatabase(_ url: URL, _ names: [String]) throws {
        try ScratchDirectory.with { directory in
            let copy = directory.appendingPathComponent("copy")
            let database = try SQLite(copy)
            try database.run("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT)")
            for (index, name) in names.enumerated() {
                if index == names.count / 2 { try database.run("PRAGMA journal_mode=WAL") }
                try database.run("INSERT INTO person (name) VALUES ('\(name)')")
            }
            // The last connection moves the log into the file when it is closed.
            try withExtendedLifetime(database) {
                for suffix in ["", "-wal"] {
                    let (from, to) = (copy.path + suffix, url.path + suffix)
                    try FileManager.default.copyItem(atPath: from, toPath: to)
                }
            }
        }
    }

    // MARK: Running

    /// Opens the store, which imports the records and removes the source.
    ///
    /// - Parameter failed: Called with the error of the work after the commit.
    @discardableResult
    func open(_ hook: UpgradeHook? = nil, failed: @escaping @Sendable (MoltError) -> Void = { _ in }) throws
        -> MigrationReport
    {
        var configuration = MoltConfiguration()
        configuration.hooks.atPoint = hook
        configuration.monitor = MigrationMonitor { event in
            if case .workFailed(let error) = event { failed(error) }
        }
        let migration = Migration(to: 1, "import", step(hook)).removingSource("the old files") { [place] in
            try hook?(Self.removes)
            for path in try place.sourceFiles().keys { try FileManager.default.removeItem(atPath: path) }
            try hook?(Self.hasRemoved)
        }
        let cache = try CodableCache(at: place.cache, migrations: [migration], configuration: configuration)
        defer { cache.close() }
        return cache.report
    }

    private func step(_ hook: UpgradeHook?) -> MigrationStep {
        switch source {
        case .table:
            .importTable(
                "person",
                of: place.source,
                as: "Person",
                key: .integer("id"),
                columns: ["name": .text("name")]
            )
        case .lines:
            .importRecords("of lines", as: "Person") { [place] records in
                let lines = try String(contentsOf: place.source, encoding: .utf8).split(separator: "\n")
                records.expectedCount = lines.count
                for (index, line) in lines.enumerated() {
                    if index == lines.count / 2 { try hook?(UpgradePoint(.read, "half of the lines")) }
                    try records.add(["name": .string(String(line))], forKey: "\(index + 1)")
                }
            }
        }
    }

    // MARK: Looking

    /// Checks that the store is whole, and returns what there is.
    func left() throws -> Left {
        let contents = try StoreContents.found(at: place.cache)
        if contents != nil { try place.checkWhole() }
        let records = (contents?.records ?? []).map { "\($0.key) \(String(decoding: $0.content, as: UTF8.self))" }
        let all = Self.names(size).enumerated().map { #"\#($0 + 1) {"name":"\#($1)"}"# }
        guard records.isEmpty || records.sorted() == all.sorted() else { throw Broken("It has a part of the records") }
        let found = try place.sourceFiles()
        guard found.isEmpty || found == files else { throw Broken("The source was changed: \(found.keys)") }
        return Left(hasRecords: !records.isEmpty, hasSource: !found.isEmpty)
    }
}

extension TestPlace {
    fileprivate var source: URL { directory.appendingPathComponent("source") }

    /// The files of the source by their paths, without SQLite's shared memory.
    fileprivate func sourceFiles() throws -> [String: [UInt8]] {
        try DiskImage(of: self).files.filter { $0.key.hasPrefix(source.path) }
    }
}
