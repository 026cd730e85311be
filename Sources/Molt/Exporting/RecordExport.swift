internal import Foundation

/// An export of the records of one snapshot to a file.
final class RecordExport {
    private let target: ExportTarget
    /// The store's path, for errors.
    private let store: String
    private let selection: RecordSelection
    private let appVersion: String
    private let now: Date
    private let transfer: TransferProgress
    /// The schema version of the records; nil for that of the store.
    var version: Int?
    /// The migrations that the records go through when they are read.
    var onRead: [MigrationID] = []
    /// The name that a stored type gets; nil if its records are left out.
    var typeName: (String) -> String? = { $0 }
    /// Gives a record today's form.
    var upgrade: (StoreContents.StoredRecord) throws -> StoreContents.StoredRecord = { $0 }
    /// The suites whose settings are exported, too; nil for none.
    var suites: TransferredSuites?
    /// The size of the text in memory at which it is written.
    private static let bufferSize = 1 << 18

    init(
        of store: String,
        _ selection: RecordSelection,
        to url: URL,
        appVersion: String,
        now: Date,
        _ transfer: TransferProgress
    ) throws {
        target = try ExportTarget(url, of: store)
        self.store = store
        self.selection = selection
        self.appVersion = appVersion
        self.now = now
        self.transfer = transfer
    }

    /// - Parameter read: Calls a closure with a connection that has a snapshot; it may do so again after a failure.
    func run(_ read: (_ body: (Connection) throws -> ExportSummary) throws -> ExportSummary) throws -> ExportSummary {
        var complete: PartFile?
        do {
            let summary = try read { connection in
                complete = nil
                let part = try target.begin()
                let summary = try write(connection, to: part)
                complete = part
                return summary
            }
            try transfer.check()
            if let complete { try target.publish(complete) }
            return summary
        } catch {
            try transfer.check()
            throw (error as? DurableFile.Failure).map(target.error) ?? error
        }
    }

    private func write(_ connection: Connection, to part: PartFile) throws -> ExportSummary {
        let head = try head(connection)
        var summary = ExportSummary(
            records: 0,
            byteCount: 0,
            version: head.version,
            quarantined: try connection.quarantinedCount()
        )
        summary.settings = head.settings?.values.reduce(0) { $0 + $1.values.count } ?? 0
        var output = Output(part: part)
        try head.write(to: &output.bytes)
        let visited = try writeRecords(connection, to: &output, &summary)
        output.bytes += ExportFormat.end
        try output.flush()
        summary.byteCount = output.byteCount
        transfer.report(visited, of: visited)
        return summary
    }

    /// The text that is not written yet, and its file.
    private struct Output {
        let part: PartFile
        var bytes: [UInt8] = []
        private(set) var byteCount = 0

        mutating func flush() throws {
            try part.write(Data(bytes))
            byteCount += bytes.count
            bytes.removeAll(keepingCapacity: true)
        }
    }

    /// What the export says of its records as a whole.
    ///
    /// - Throws: ``MoltError`` if a migration on read, or one marked as pending, is not at hand.
    private func head(_ connection: Connection) throws -> ExportFormat.Head {
        let state = try LedgerTable.state(connection)
        try LedgerTable.checkRows(connection)
        let version = version ?? state.version
        let waiting = state.ledger.first { row in
            [.onRead, .unmarked].contains(row.outcome) && !onRead.contains { $0.name == row.name }
        }
        if let waiting { throw MoltError.waiting(for: waiting, store: store) }
        // A newer release's migrations that let this release write have done nothing to the records.
        let applied = state.ledger.filter { row in
            // Marked as applied, before earlier ones ran.
            let isAhead = row.outcome == .marked && version == state.version
            return row.outcome.isApplied && (row.version <= version || isAhead)
        }.map(ExportedMigration.init)
        return try ExportFormat.Head(
            version: version,
            migrations: applied
                + onRead.filter { id in !applied.contains { $0.name == id.name } }.map(ExportedMigration.init),
            appVersion: appVersion,
            exportedAt: now.timeIntervalSince1970,
            settings: settings(connection)
        )
    }

    /// Writes the selected records, in their order.
    ///
    /// - Returns: The number of records in the store.
    private func writeRecords(
        _ connection: Connection,
        to output: inout Output,
        _ summary: inout ExportSummary
    ) throws -> Int {
        let count = transfer.progress == nil ? 0 : try connection.recordCount()
        var search = selection.search()
        let rows = try connection.prepare(.stored)
        defer { rows.reset() }
        var names = TypeNamesInRows()
        var visited = 0
        while try rows.step() {
            visited += 1
            try transfer.check(after: visited, of: count)
            if let expiration = rows.real(3), expiration <= now.timeIntervalSince1970, rows.isNumber(3) { continue }
            let (key, stored) = (try rows.key(1), try names.name(rows, 2))
            guard let type = typeName(stored) else { continue }
            search.note(type: type)
            guard selection.includes(key: key, type: type) else { continue }
            var record = StoreContents.DatedRecord(rows, key: key, typeName: stored)
            record.stored = try upgrade(record.stored)
            search.note(record.stored.key)
            try check(record.stored)
            output.bytes.append(contentsOf: summary.records == 0 ? "\n".utf8 : ",\n".utf8)
            record.write(to: &output.bytes)
            summary.records += 1
            if output.bytes.count >= Self.bufferSize { try output.flush() }
        }
        try connection.checkIndexes(have: visited)
        if let key = search.missing {
            throw MoltError(
                .recordMissing,
                "There is no value under the key \"\(key)\" to export.",
                advice: "Correct the key, or leave it out.",
                outcome: .unchanged,
                store: store,
                key: key
            )
        }
        summary.missingTypes = search.missingTypes.map(\.description)
        return visited
    }

    private func settings(_ connection: Connection) throws -> [String: ExportedSuite]? {
        guard let suites else { return nil }
        return try Dictionary(
            uniqueKeysWithValues: suites.read(connection).map { suite, content in
                (suite.attachedName, ExportedSuite(content, in: suites.migrations))
            }
        )
    }

    /// Throws if the content of a record cannot be part of a JSON text.
    private func check(_ record: StoreContents.StoredRecord) throws {
        guard !record.isData, let fault = record.content.withUnsafeBufferPointer({ JSONScanner.fault(in: $0) }) else {
            return
        }
        throw MoltError(
            .malformedContent,
            "The content of \"\(record.key)\" is not JSON text, so it cannot be exported.",
            advice: "Remove the value, or set it again.",
            outcome: .unchanged,
            store: store,
            key: record.key,
            type: record.typeName,
            underlying: fault
        )
    }
}

extension MoltError {
    /// The error for a store whose records still have to go through a migration that is not at hand.
    static func waiting(for row: LedgerEntry, store: String) -> MoltError {
        let id = MigrationID(name: row.name, version: row.version)
        return MoltError(
            .needsMigration,
            "Records of the store at \(store) still have to go through migration \(id), which "
                + (row.outcome == .unmarked ? "was marked as pending." : "upgrades them when they are read."),
            advice: "Use a release of the app, or its own tool, that has the migration.",
            outcome: .unchanged,
            store: store,
            migration: id
        )
    }
}
