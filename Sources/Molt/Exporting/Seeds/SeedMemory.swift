internal import Foundation

/// What the earlier files of a seed have had, in today's form.
///
/// Records that a later file lacks stay in it, so that one which the user has deleted does not come back with an
/// earlier release. None of them expires here.
struct SeedMemory {
    /// The records, in their order in the export.
    private(set) var records: [StoreContents.DatedRecord] = []
    private var indexes: [ExactName: Int] = [:]

    /// The memory of a store that has had no file of the seed.
    init() {}

    /// Reads an export, and upgrades its records.
    ///
    /// - Parameters:
    ///   - text: The export.
    ///   - original: The file of the seed, for errors.
    ///   - source: Returns the source of an import for a file.
    init(_ text: [UInt8], of original: URL, _ source: (URL) -> ImportSource) throws {
        let file = try ScratchCopy(of: original, for: .import, byteCount: Int64(text.count))
        defer { withExtendedLifetime(file) {} }
        try Self.write(text, to: file.url.path)
        let upgraded = try source(file.url).upgraded()
        defer { withExtendedLifetime(upgraded) {} }
        let connection = try upgraded.open()
        defer { connection.close() }
        try connection.prepare(.stored).eachRow { row throws(SQLiteError) in add(try StoreContents.DatedRecord(row)) }
        try QuarantineTable(of: connection)?.rows().eachRow { row throws(SQLiteError) in
            add(Self.unknown(key: try row.key(1), typeName: row.text(2), version: Int(clamping: row.integer(3))))
        }
    }

    private mutating func add(_ record: StoreContents.DatedRecord) {
        let key = ExactName(record.stored.key)
        guard indexes[key] == nil else { return }
        indexes[key] = records.count
        records.append(record)
    }

    /// A record for one that a migration could not convert: its content equals no value that the user may have.
    private static func unknown(key: String, typeName: String, version: Int) -> StoreContents.DatedRecord {
        let stored = StoreContents.StoredRecord(
            key: key,
            typeName: typeName,
            content: Array("null".utf8),
            version: version
        )
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

    /// The text of an export of records, to be remembered.
    ///
    /// - Parameters:
    ///   - connection: A temporary store with the records.
    ///   - original: The file of the seed, for errors.
    static func text(of connection: Connection, original: URL, _ transfer: TransferProgress) throws -> [UInt8] {
        let file = try ScratchCopy(of: original, for: .import, byteCount: 0)
        defer { withExtendedLifetime(file) {} }
        let export = RecordExport(
            target: try ExportTarget(file.url, of: transfer.store),
            store: transfer.store,
            selection: .all,
            appVersion: "",
            now: .distantPast,
            transfer: transfer,
            upgrade: { record in
                var record = record
                record.expiration = nil
                return record
            }
        )
        _ = try export.run { body in try body(connection) }
        return Array(try Data(contentsOf: file.url))
    }
}
