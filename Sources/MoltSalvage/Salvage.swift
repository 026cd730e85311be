internal import Foundation
internal import Molt

/// Copies the readable contents of a damaged file into a new one, from the most reliable source first.
///
/// 1. The trees of the file, read with SQLite: the records by id, skipping unreadable places, and then the records that
/// only the indexes name.
/// 2. For what is still missing, the pages themselves: a table's leaf page is recognized without a tree.
/// 3. For what is still missing, an earlier state: the file without its log or, with a damaged log, before the damage.
/// 4. For what is still missing with a damaged log, the state that SQLite itself reads.
///
/// Records found in 2 to 4 count only in the gaps of 1, so that deleted records do not come back.
final class Salvage {
    let copy: SalvageCopy
    private let migrations: MigrationRegistry
    let target: SalvagedFile
    var report: SalvageReport
    /// The log, when some of its pages are lost and the others were written into the copy.
    var damagedLog: LogPages?
    /// Whether SQLite ends the log before its end.
    var isLogDamaged = false
    /// The path of the copy with the newest state.
    var newestPath: String
    private var record = Record()
    private var gaps: [ClosedRange<Int64>] = [Int64.min...Int64.max]
    /// Whether the index of the keys was read completely, so that it names every record.
    private var isIndexWhole = false
    private var hasTree = false
    private var isFreeListWhole = false
    /// Whether the whole log is unreadable, so that every record may be older than the last write.
    var isAllStale = false
    // Whether the newest state of some of their pages may be lost.
    var isVersionStale = false
    var isKeyIndexStale = false
    var areRecordsStale = false
    private var losses: [SalvageReport.Loss] = []
    private var unlisted = 0
    var tables = SalvagedTables()
    private let suspensionCount = StoreAccess.suspensionCount

    /// Begins a salvage.
    ///
    /// - Parameter newPath: The new file; nil for one beside the copy, which is removed with this object.
    init(of path: String, to newPath: String?, _ migrations: MigrationRegistry) throws {
        self.migrations = migrations
        if let newPath { try SalvagedFile.checkAbsence(of: newPath) }
        copy = try SalvageCopy(of: path)
        target = try SalvagedFile(newPath ?? copy.scratch)
        newestPath = copy.file
        report = SalvageReport(source: path, destination: newPath ?? path)
    }

    /// Salvages the file; the new file exists when this returns, and does not when it throws.
    func run() throws -> SalvageReport {
        var sources = try openSources()
        try checkOwner(sources)
        let version = sources.lazy.compactMap(\.version).first { $0 >= 0 }
        let isOurs = sources.contains(where: \.isOurs)
        for sentence in copy.unread { report.assume(sentence) }
        if let first = sources.first {
            report.damage = first.damage
            try tables.read(first)
            try readRecords(first)
        }
        let isDamaged = sources.first.map { !$0.damage.isEmpty || $0.path != newestPath } ?? true
        if isDamaged { try readPages(of: newestPath, isNewest: true) }
        if isDamaged || damagedLog != nil, sources.count > 1 {
            try readEarlierRecords(sources[1])
            try tables.read(sources[1], isStale: true)
            if isDamaged { try readPages(of: sources[1].path, isNewest: false) }
        }
        // An open connection would keep the copy that is replaced now on the disk.
        sources = []
        try readShortenedLog()
        try finish(version: version)
        guard report.savedCount > 0 || report.ledgerCount > 0 || isOurs else {
            throw MoltError(
                .notADatabase,
                "The file at \(report.source) contains no cache data, so no new file was made.",
                outcome: .unchanged,
                store: report.source
            )
        }
        // What could not be read during a suspension looks damaged.
        guard StoreAccess.suspensionCount == suspensionCount else { throw MoltError.suspended() }
        try target.finish()
        return report
    }

    // MARK: Checks

    private func checkOwner(_ sources: [SalvageSource]) throws {
        guard let first = sources.first(where: \.isOurs) ?? sources.first else { return }
        if !first.isOurs, let owner = first.applicationID, owner != 0 || first.damage.isEmpty {
            throw FileFormat.foreign(report.source)
        }
        // A number that is far off is damage rather than a format.
        if let format = first.format, format > FileFormat.number, format <= 1_000 {
            throw FileFormat.newer(report.source, format)
        }
    }

    // MARK: Records

    private static let columns =
        "id, key, type_id, version, created_at, updated_at, accessed_at, expires_at, content"

    static let keyIndex = "sqlite_autoindex_molt_record_1"

    private func readRecords(_ source: SalvageSource) throws {
        isIndexWhole = try source.entries(of: Self.keyIndex, by: "key") { id, key in try expect(id, key: key.string) }
        if isKeyIndexStale {
            isIndexWhole = false
            // The rows then tell which records there are.
            if !areRecordsStale { try target.connection.execute("DELETE FROM temp.expected") }
        }
        if !isIndexWhole, !isKeyIndexStale {
            _ = try source.entries(of: "molt_record_type", by: "type_id") { id, _ in try expect(id, key: nil) }
        }
        let scan = try source.rows(Self.columns, of: "molt_record") { id, values in try takeNewest(id, values) }
        hasTree = scan.isReadable
        gaps = scan.isReadable ? scan.gaps : [Int64.min...Int64.max]
        guard !source.damage.isEmpty else { return }
        // Below a damaged page, a look-up may find rows that a scan misses.
        let lastID = try target.connection.integer(
            "SELECT max(coalesce((SELECT max(id) FROM temp.expected), 0), coalesce(max(id), 0)) FROM main.molt_record"
        )
        // The file has no room for more records, whatever an index says.
        let limit = min(Self.lookupLimit, Int64(copy.status.bytes / 8) + 1_000)
        for id in 0..<max(0, min(lastID, limit)) where try !target.has(id: id + 1) {
            if let values = source.row(Self.columns, of: "molt_record", id: id + 1) { try takeNewest(id + 1, values) }
        }
        for (id, _) in try missing(above: limit) {
            if let values = source.row(Self.columns, of: "molt_record", id: id) { try takeNewest(id, values) }
        }
    }

    private static let lookupLimit: Int64 = 10_000_000

    /// Adds a record found by its tree, unless it is known to be removed.
    private func takeNewest(_ id: Int64, _ values: [ColumnValue]) throws {
        if damagedLog != nil, let isMixed = try target.isMixed(id) {
            // Not in the index: a transaction removed the record, and its version of this page is lost.
            let key = values.count > 1 ? values[1].string : nil
            guard !isMixed, try !isIndexWhole || isExpected(id, key: key) else { return }
        }
        try take(id, values)
    }

    private func readPages(of path: String, isNewest: Bool) throws {
        guard let file = ByteSource(path: path) else { return }
        let scan = PageScan(file, log: isNewest ? damagedLog : nil)
        if isNewest {
            isFreeListWhole = scan.freePages != nil
            if !isFreeListWhole {
                report.assume(
                    "The list of unused pages is damaged, so records that were deleted may have come back."
                )
            }
        }
        try scan.rows { kind, id, values, staleness in
            guard staleness != .mixed else { return }
            guard kind == .record else {
                // Pending changes of an earlier state may have been applied since.
                if isNewest || kind != .journal { tables.addFound(kind, id, values) }
                return
            }
            if isNewest, staleness == .none, try isCurrent(id, key: values[1].string) {
                // The copy may already have a stale page's version of this record.
                if try target.isMixed(id) != nil { try target.remove(id) }
                guard try !target.has(id: id) else { return }
            } else {
                guard try isWanted(id, key: values[1].string, isNewest: isNewest) else { return }
            }
            if try take(id, values) {
                report.rawCount += 1
                if !isNewest { try target.markStale(id) }
            }
        } unread: { page, ids, count in
            guard isNewest else { return }
            // Only missing ids, because the page may belong to another table.
            for id in ids where try isWanted(id, key: nil, isNewest: true) {
                lose(SalvageReport.Loss(.unreadable, id: id))
            }
            if count > 0, !isIndexWhole {
                lose(SalvageReport.Loss(kind: .unknownRows, key: nil, ids: nil, page: page, count: count))
            }
        }
    }

    private func readEarlierRecords(_ source: SalvageSource) throws {
        _ = try source.rows(Self.columns, of: "molt_record") { id, values in
            let isWanted = try isWanted(id, key: values[1].string, isNewest: false)
            guard isWanted, try !target.has(id: id) else { return }
            if try take(id, values) { try target.markStale(id) }
        }
    }

    /// Looks for what is still missing in the state that SQLite itself reads.
    ///
    /// A damaged frame may have the right checksum by accident. If an earlier frame is damaged, too, SQLite ends the
    /// log there and reads an intact older row.
    private func readShortenedLog() throws {
        guard isLogDamaged else { return }
        let isMissingSome = try !losses.isEmpty || !isIndexWhole && !gaps.isEmpty || !missing().isEmpty
        guard isMissingSome, let path = try copy.loggedCopy() else { return }
        if let source = SalvageSource(path, .readWrite) { try readEarlierRecords(source) }
    }

    /// Whether a row on a page that is not stale is current, although no tree may lead to it.
    private func isCurrent(_ id: Int64, key: String?) throws -> Bool {
        guard damagedLog != nil, isFreeListWhole else { return false }
        return try !isIndexWhole || isExpected(id, key: key)
    }

    /// Whether a record not found by its tree may be missing rather than deleted.
    private func isWanted(_ id: Int64, key: String?, isNewest: Bool) throws -> Bool {
        // A record found by its tree takes precedence.
        if hasTree, try target.has(id: id) { return false }
        // The newest state has only parts of it.
        if !isNewest, try target.isMixed(id) == true { return true }
        if try isExpected(id, key: key) { return true }
        guard try expectedKey(id) == nil else { return false }
        // A row on a page in use is not deleted, unless a later state deleted it.
        return !isIndexWhole && (isNewest && isFreeListWhole || gaps.contains { $0.contains(id) })
    }

    /// Whether the index has an id, with this key when both are known.
    private func isExpected(_ id: Int64, key: String?) throws -> Bool {
        guard let expected = try expectedKey(id) else { return false }
        guard let name = expected, let key else { return true }
        return name.utf8.elementsEqual(key.utf8)
    }

    /// The index's key for an id: nil when the id is not in it, nil inside when the key is unknown.
    private func expectedKey(_ id: Int64) throws -> String?? {
        let search = try target.statement("SELECT key FROM temp.expected WHERE id = ?1")
        try search.bind(id, at: 1)
        return try search.first { $0.isNull(0) || $0.isBlob(0) ? String?.none : $0.text(0) }
    }

    private func expectedID(_ key: String) throws -> Int64? {
        try target.connection.execute("CREATE INDEX IF NOT EXISTS temp.expected_key ON expected(key)")
        let search = try target.statement("SELECT id FROM temp.expected WHERE key = ?1")
        try search.bind(key, at: 1)
        return try search.first { $0.integer(0) }
    }

    /// Notes an entry of an index; if an id has two keys, neither counts.
    private func expect(_ id: Int64, key: String?) throws {
        let insertion = try target.statement(
            """
            INSERT INTO temp.expected(id, key) VALUES(?1, ?2)
            ON CONFLICT DO UPDATE SET key = CASE WHEN key IS NULL OR key = ?2 OR ?2 IS NULL THEN coalesce(key, ?2) ELSE x'' END
            """
        )
        try insertion.bind(id, at: 1)
        try insertion.bind(key.map { .text(Array($0.utf8)) } ?? .null, at: 2)
        try insertion.run()
    }

    /// The records that an index names and that were not found; limited in number.
    private func missing(above id: Int64 = .min) throws -> [(id: Int64, key: String?)] {
        let search = try target.statement(
            """
            SELECT id, key FROM temp.expected WHERE id NOT IN (SELECT id FROM main.molt_record) AND id > ?1
            ORDER BY id LIMIT \(SalvageReport.lossLimit * 10)
            """
        )
        try search.bind(id, at: 1)
        var missing: [(Int64, String?)] = []
        try search.eachRow { row throws(SQLiteError) in
            missing.append((row.integer(0), row.isNull(1) || row.isBlob(1) ? nil : row.text(1)))
        }
        return missing
    }

    /// Checks a record and adds it.
    ///
    /// - Returns: Whether it was added.
    @discardableResult
    private func take(_ id: Int64, _ values: [ColumnValue]) throws -> Bool {
        var (id, values) = (id, values)
        // With a damaged log, the index and the row may be from different times.
        let expected = damagedLog == nil ? try expectedKey(id) ?? nil : nil
        if let expected, values.count > 1, values[1].string.map({ !$0.utf8.elementsEqual(expected.utf8) }) ?? true {
            if let other = try values[1].string.flatMap({ try expectedID($0) }), try !target.has(id: other) {
                // The index has the row's key with another id, so the id is damaged.
                lose(SalvageReport.Loss(.doubtfulKey, id: id, key: expected))
                id = other
            } else {
                // Prefer the index: a changed bit usually puts it out of order, while nothing reveals one in a row. The
                // record is also found by the index's key.
                lose(SalvageReport.Loss(.doubtfulKey, id: id, key: values[1].string ?? expected))
                values[1] = .text(Array(expected.utf8))
            }
        }
        let row: SalvagedRow
        do throws(SalvagedRow.Fault) {
            row = try SalvagedRow(id: id, values, &record)
        } catch {
            lose(SalvageReport.Loss(error.kind, id: id, key: error.key))
            return false
        }
        switch try target.add(row) {
        case .added:
            report.savedCount += 1
            return true
        case .same:
            return false
        case .duplicate(let key, let id):
            lose(SalvageReport.Loss(.duplicate, id: id, key: key))
            return false
        }
    }

    private func lose(_ loss: SalvageReport.Loss) {
        // Some are found elsewhere later, so twice as many are kept as are listed.
        if losses.count < SalvageReport.lossLimit * 2 { losses.append(loss) } else { unlisted += 1 }
    }

    // MARK: The end

    private func finish(version: Int64?) throws {
        let staleCount = try target.staleCount()
        try tables.write(to: target, &report, version: version, isVersionStale: isVersionStale, migrations)
        try listLosses()
        report.savedCount = Int(try target.connection.integer("SELECT count(*) FROM molt_record"))
        report.staleCount = isAllStale ? report.savedCount : staleCount
    }

    private func listLosses() throws {
        var seen: Set<Int64> = []
        var doubtful: Set<Int64> = []
        for var loss in losses {
            guard let id = loss.ids?.lowerBound else {
                report.add(loss)
                continue
            }
            switch loss.kind {
            case .duplicate: break
            case .doubtfulKey: guard doubtful.insert(id).inserted else { continue }
            default: guard seen.insert(id).inserted, try !target.has(id: id) else { continue }
            }
            if loss.key == nil { loss.key = try expectedKey(id) ?? nil }
            report.add(loss)
        }
        let missing = try missing()
        for (id, key) in missing where seen.insert(id).inserted {
            report.add(SalvageReport.Loss(.unreadable, id: id, key: key))
        }
        let missingCount = try target.connection.integer(
            "SELECT count(*) FROM temp.expected WHERE id NOT IN (SELECT id FROM main.molt_record)"
        )
        report.unlistedLossCount += unlisted + max(0, Int(missingCount) - missing.count)
        guard !isIndexWhole else { return }
        for gap in gaps {
            report.add(SalvageReport.Loss(kind: .unknownRecords, key: nil, ids: gap, page: nil, count: nil))
        }
    }
}
