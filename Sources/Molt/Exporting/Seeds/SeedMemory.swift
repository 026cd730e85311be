internal import Foundation

/// What the earlier files of a seed have had, in today's form.
///
/// Records that a later file lacks stay in it, so that one which the user has deleted does not come back with an
/// earlier release. None of them expires here.
struct SeedMemory {
    /// The records, in their order in the export.
    private(set) var records: [StoreContents.DatedRecord] = []
    private var indexes: [ExactName: Int] = [:]
    /// The temporary store with the records that could be converted; nil if none was made.
    private var upgraded: ImportSource.Upgraded?

    /// The memory of a store that has had no file of the seed.
    init() {}

    /// Reads an export, and upgrades its records.
    ///
    /// If a migration fails, or the registry does not have it any more, the keys alone are known: what the user has
    /// deleted stays so, and what is there stays, too.
    ///
    /// - Parameters:
    ///   - text: The export.
    ///   - original: The file of the seed, for errors.
    ///   - source: Returns the source of an import for a file.
    init(_ text: [UInt8], of original: URL, _ source: (URL) -> ImportSource) throws {
        let file = try ScratchCopy(of: original, for: .import, byteCount: Int64(text.count))
        defer { withExtendedLifetime(file) {} }
        try Self.write(text, to: file.url.path)
        do {
            let upgraded = try source(file.url).upgraded()
            let connection = try upgraded.open()
            defer { connection.close() }
            try connection.prepare(.stored).eachRow { row throws(SQLiteError) in add(try StoreContents.DatedRecord(row))
            }
            try QuarantineTable(of: connection)?.rows().eachRow { row throws(SQLiteError) in
                add(Self.unknown(key: try row.key(1)))
            }
            self.upgraded = upgraded
        } catch let error as MoltError where !error.isStop && !error.isOutOfSpace {
            let reader = try ExportReader(file.url.path)
            let version = try reader.head().version
            while let record = try reader.next(version: version)?.record { add(Self.unknown(key: record.stored.key)) }
        }
    }

    private mutating func add(_ record: StoreContents.DatedRecord) {
        let key = ExactName(record.stored.key)
        guard indexes[key] == nil else { return }
        indexes[key] = records.count
        records.append(record)
    }

    /// A record in the place of one that could not be converted; no migration changes it, and no value equals it.
    private static func unknown(key: String) -> StoreContents.DatedRecord {
        let content = Array("null".utf8)
        let stored = StoreContents.StoredRecord(key: key, typeName: "molt.unknown", content: content, version: 0)
        return StoreContents.DatedRecord(stored: stored, created: 0, updated: 0)
    }

    /// The record that the last file with a key had under it; nil if no file had one.
    subscript(key: String) -> StoreContents.StoredRecord? {
        indexes[ExactName(key)].map { records[$0].stored }
    }

    private static func write(_ text: [UInt8], to path: String) throws {
        do throws(DurableFile.Failure) {
            let part = try PartFile(path + ".part")
            try part.write(Data(text))
            try part.replace(path)
        } catch {
            throw MoltError(
                .storeFailed,
                "A temporary file cannot be written to \(path): \(error.reason).",
                advice: error.isOutOfSpace ? "Free some space, and open the store again." : nil,
                underlying: error
            )
        }
    }

    /// The text to remember if no other file is applied; nil if only the keys are known.
    func text(original: URL, _ transfer: TransferProgress) throws -> [UInt8]? {
        guard let upgraded else { return nil }
        let connection = try upgraded.open(.readWrite)
        defer { connection.close() }
        let rows = StoreRows(connection, ofTransaction: true)
        for record in records { _ = try rows.add(record, used: ImportSource.imported) }
        return try Self.text(of: connection, original: original, transfer)
    }

    /// The text of an export of records, to be remembered.
    ///
    /// - Parameters:
    ///   - connection: A temporary store with the records.
    ///   - original: The file of the seed, for errors.
    static func text(of connection: Connection, original: URL, _ transfer: TransferProgress) throws -> [UInt8] {
        let file = try ScratchCopy(of: original, for: .import, byteCount: 0)
        defer { withExtendedLifetime(file) {} }
        let export = try RecordExport(
            of: transfer.store,
            .all,
            to: file.url,
            appVersion: "",
            now: .distantPast,
            transfer
        )
        export.upgrade = { record in
            var record = record
            record.expiration = nil
            return record
        }
        _ = try export.run { body in try body(connection) }
        return Array(try Data(contentsOf: file.url))
    }
}
