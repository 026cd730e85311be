internal import Foundation
internal import Molt

/// The tables of a damaged file without the records: types, ledger, journal, quarantine, handovers, seeds.
struct SalvagedTables {
    private var rows: [PageScan.Kind: [Int64: [ColumnValue]]] = [:]
    private var whole: Set<PageScan.Kind> = []
    /// The kinds without a table in the schema.
    private var absent: Set<PageScan.Kind> = []
    /// Whether the schema may have had more tables.
    var isSchemaStale = false
    /// The kinds whose newest state may be lost.
    private var stale: Set<PageScan.Kind> = []
    /// The rows whose parts may be from different times.
    private var leftOut: [PageScan.Kind: Set<Int64>] = [:]

    static let names: [(PageScan.Kind, String)] = [
        (.type, "molt_type"), (.ledger, "molt_ledger"), (.journal, "molt_journal"), (.quarantine, "molt_quarantine"),
        (.handover, "molt_handover"), (.seed, "molt_seed"),
    ]

    /// Notes that a table's newest state may be lost, so that it does not count as whole.
    mutating func markStale(_ kind: PageScan.Kind) {
        stale.insert(kind)
    }

    mutating func leaveOut(_ kind: PageScan.Kind, _ id: Int64) {
        leftOut[kind, default: []].insert(id)
    }

    /// Reads the tables that SQLite can read; rows already found are kept.
    ///
    /// - Parameter isStale: Whether the source is an earlier state, which lacks rows, and whose pending changes may
    ///   have been applied since.
    mutating func read(_ source: SalvageSource, isStale: Bool = false) throws {
        try read(.type, "molt_type", source, isStale)
        try read(.ledger, "molt_ledger", source, isStale)
        if !isStale {
            try read(.journal, "molt_journal", source, isStale)
            // Most caches have none of them.
            for (kind, table) in Self.names
            where [.quarantine, .handover, .seed].contains(kind)
                && source.has("molt_record") && !source.has(table) && !isSchemaStale
            {
                absent.insert(kind)
            }
        }
        try read(.quarantine, "molt_quarantine", source, isStale)
        // In an earlier state, they may have been handed over since, and a closure allows for that.
        try read(.handover, "molt_handover", source, isStale)
        try read(.seed, "molt_seed", source, isStale)
    }

    private mutating func read(
        _ kind: PageScan.Kind,
        _ table: String,
        _ source: SalvageSource,
        _ isStale: Bool
    ) throws {
        guard !whole.contains(kind) else { return }
        var found: [(Int64, [ColumnValue])] = []
        let scan = try source.rows("*", of: table) { id, values in found.append((id, values)) }
        for (id, values) in found where isStale || leftOut[kind]?.contains(id) != true { add(kind, id, values) }
        if scan.isWhole, !isStale, !stale.contains(kind) { whole.insert(kind) }
    }

    /// Adds a row found on a page, unless its table was read completely.
    mutating func addFound(_ kind: PageScan.Kind, _ id: Int64, _ values: [ColumnValue]) {
        guard !whole.contains(kind) else { return }
        // The table existed if a page in use has one of its rows.
        absent.remove(kind)
        add(kind, id, values)
    }

    private mutating func add(_ kind: PageScan.Kind, _ id: Int64, _ values: [ColumnValue]) {
        // A type's name may be damaged in one state and intact in an earlier one.
        guard kind != .type || Self.typeName(values) != nil else { return }
        // The newest state is read first.
        if rows[kind]?[id] == nil { rows[kind, default: [:]][id] = values }
    }

    private static func typeName(_ values: [ColumnValue]) -> String? {
        values.count > 1 ? values[1].string : nil
    }

    private func sortedRows(_ kind: PageScan.Kind) -> [(id: Int64, values: [ColumnValue])] {
        (rows[kind] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: Writing

    /// Writes the rows found into the new file, and reports what is missing.
    ///
    /// - Parameters:
    ///   - version: The schema version of the file; nil when it cannot be read.
    ///   - isVersionStale: Whether a newer version may be lost.
    ///   - migrations: The app's migrations, whose rows may be missing in the ledger.
    func write(
        to target: SalvagedFile,
        _ report: inout SalvageReport,
        version: Int64?,
        isVersionStale: Bool,
        _ migrations: MigrationRegistry
    ) throws {
        try writeTypes(target, &report)
        try writeLedger(target, &report)
        let highest = try target.connection.integer(
            "SELECT max(coalesce((SELECT max(version) FROM molt_ledger), 0), coalesce(max(version), 0)) FROM molt_record"
        )
        if let version, version <= Int32.max, !isVersionStale || version >= highest {
            report.version = Int(version)
        } else {
            report.version = Int(min(max(highest, 0), Int64(Int32.max)))
            report.assume(
                "The schema version could not be read. It is assumed to be \(report.version), the highest in the ledger "
                    + "and of the records."
            )
        }
        try addImpliedLedgerEntries(migrations, target, &report)
        try target.connection.execute("PRAGMA user_version = \(report.version)")
        try target.connection.execute(
            "UPDATE molt_record SET version = \(report.version) "
                + "WHERE version NOT BETWEEN 0 AND \(report.version)"
        )
        if target.connection.changes > 0 {
            report.assume("\(target.connection.changes) records had an impossible version and were given the store's.")
        }
        try writeJournal(target, &report)
        try giveIDs(target, &report)
        try writeQuarantine(target, &report)
        try writeHandovers(target, &report)
        try writeSeeds(target, &report)
    }

    /// Gives new ids to records with ids below 1, which no cache assigns and an upgrade would not find.
    private func giveIDs(_ target: SalvagedFile, _ report: inout SalvageReport) throws {
        var ids: [Int64] = []
        try target.connection.prepare("SELECT id FROM molt_record WHERE id <= 0").eachRow { row throws(SQLiteError) in
            ids.append(row.integer(0))
        }
        guard !ids.isEmpty else { return }
        for id in ids {
            let change = try target.statement(
                "UPDATE molt_record SET id = (SELECT max(max(id), 0) + 1 FROM molt_record) WHERE id = ?1"
            )
            try change.bind(id, at: 1)
            try change.run()
        }
        report.assume("\(ids.count) records had invalid ids and were given new ones.")
    }

    private func writeQuarantine(_ target: SalvagedFile, _ report: inout SalvageReport) throws {
        (report.quarantinedCount, report.isQuarantineWhole) = try write(
            .quarantine,
            to: "molt_quarantine",
            QuarantineTable.creation,
            target
        )
    }

    private func writeHandovers(_ target: SalvagedFile, _ report: inout SalvageReport) throws {
        (report.handoverCount, report.areHandoversWhole) = try write(
            .handover,
            to: "molt_handover",
            HandoverTable.creation,
            target
        )
        guard report.handoverCount > 0 else { return }
        try target.connection.execute(
            "INSERT OR REPLACE INTO molt_meta(name, value) VALUES('\(HandoverTable.mark)', 1)"
        )
    }

    private func writeSeeds(_ target: SalvagedFile, _ report: inout SalvageReport) throws {
        report.areSeedsWhole = try write(.seed, to: "molt_seed", SeedTable.creation, target).isWhole
    }

    /// Writes the rows of a table that a cache creates with its first row.
    ///
    /// - Returns: The number of rows, and whether all that the table had were found.
    private func write(
        _ kind: PageScan.Kind,
        to table: String,
        _ creation: String,
        _ target: SalvagedFile
    ) throws -> (count: Int, isWhole: Bool) {
        var isWhole = whole.contains(kind) || absent.contains(kind)
        var count = 0
        let found = sortedRows(kind)
        if !found.isEmpty { try target.connection.execute(creation) }
        for (id, row) in found {
            let parameters = (1...max(1, row.count)).map { "?\($0)" }.joined(separator: ", ")
            do throws(SQLiteError) {
                let insertion = try target.statement("INSERT INTO \(table) VALUES(\(parameters))")
                // A row found on a page has NULL in place of its id.
                try insertion.bind(id, at: 1)
                for (index, value) in row.enumerated().dropFirst() { try insertion.bind(value, at: Int32(index + 1)) }
                try insertion.run()
                count += 1
            } catch {
                // A column has the wrong type, or is missing: the row is damaged.
                guard error.isConstraint || error.resultCode == 1 else { throw error }
                isWhole = false
            }
        }
        return (count, isWhole)
    }

    private func writeTypes(_ target: SalvagedFile, _ report: inout SalvageReport) throws {
        var ids: [Int64] = []
        try target.connection.prepare("SELECT DISTINCT type_id FROM molt_record ORDER BY 1").eachRow {
            row throws(SQLiteError) in ids.append(row.integer(0))
        }
        // By bytes: Swift treats canonically equivalent names as equal.
        var written: [[UInt8]: Int64] = [:]
        for id in ids {
            let found = rows[.type]?[id].flatMap(Self.typeName)
            let name = found ?? "unknown type \(id)"
            if found == nil {
                report.assume("The name of the type \(id) is lost. Its records now have the type \"\(name)\".")
            }
            if let other = written[Array(name.utf8)] {
                let merge = try target.connection.prepare("UPDATE molt_record SET type_id = ?1 WHERE type_id = ?2")
                try merge.bind(other, at: 1)
                try merge.bind(id, at: 2)
                try merge.run()
                continue
            }
            let insertion = try target.statement("INSERT INTO molt_type(id, name) VALUES(?1, ?2)")
            try insertion.bind(id, at: 1)
            try insertion.bind(name, at: 2)
            try insertion.run()
            written[Array(name.utf8)] = id
        }
    }

    private func writeLedger(_ target: SalvagedFile, _ report: inout SalvageReport) throws {
        report.isLedgerWhole = whole.contains(.ledger)
        for (id, row) in sortedRows(.ledger) {
            guard row.count >= 13, row[1].string != nil, row[2].integer != nil, row[3].string != nil,
                row[4...5].allSatisfy({ $0.number != nil }), row[6...10].allSatisfy({ $0.integer != nil }),
                row[11].string != nil, row[12].string != nil, row.count < 16 || Self.tellsReplaced(row[15])
            else {
                report.isLedgerWhole = false
                continue
            }
            let insertion = try target.statement(
                """
                INSERT OR IGNORE INTO molt_ledger(
                    id, name, version, outcome, applied_at, duration, records_read, records_changed, records_dropped,
                    records_created, records_quarantined, app_version, molt_version, attached_counts, fingerprint, replaces,
                    extra, is_readable, corrections, is_work_pending
                ) VALUES(
                    ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20
                )
                """
            )
            try insertion.bind(id, at: 1)
            for index in 1..<17 {
                let value = index < row.count ? row[index] : .null
                // Those after the first 13 may be missing, or may not be text.
                let isText = index < 13 || value.string != nil
                try insertion.bind(isText ? value : .null, at: Int32(index + 1))
            }
            let declared = row.count > 17 ? row[17].integer ?? 0 : 0
            try insertion.bind(.integer((0...2).contains(declared) ? declared : 0), at: 18)
            try insertion.bind(row.count > 18 && row[18].string != nil ? row[18] : .null, at: 19)
            try insertion.bind(.integer(row.count > 19 && row[19].integer == 1 ? 1 : 0), at: 20)
            try insertion.run()
            if target.connection.changes > 0 { report.ledgerCount += 1 } else { report.isLedgerWhole = false }
        }
    }

    /// Whether Molt can read what a row of the ledger replaces; without a text, it replaces nothing.
    private static func tellsReplaced(_ value: ColumnValue) -> Bool {
        guard let text = value.string else { return true }
        let replaced: [String: Int]? = LedgerTable.value(of: text)
        return replaced != nil
    }

    /// Adds lost ledger rows of migrations that must have been applied, as the store has passed their version.
    private func addImpliedLedgerEntries(
        _ migrations: MigrationRegistry,
        _ target: SalvagedFile,
        _ report: inout SalvageReport
    ) throws {
        guard !report.isLedgerWhole else { return }
        // A row also stands for the migrations that it replaces, even if this registry has no shortcut of its name.
        var names = Set(
            try LedgerTable.rows(target.connection).flatMap { [$0.name] + ($0.isReplacing ? $0.replaces : []) }
        )
        let replacedByShortcuts = migrations.replacedByShortcuts
        for (shortcut, replacedNames) in replacedByShortcuts where names.contains(shortcut) {
            names.formUnion(replacedNames)
        }
        // A store that has been through the replaced migrations counts a shortcut as applied.
        let passed = migrations.migrations.filter { migration in
            migration.version <= report.version && !names.contains(migration.name)
                && replacedByShortcuts[migration.name] == nil
                && (migration.replaces.isEmpty || !migration.replaces.allSatisfy { names.contains($0) })
        }
        guard !passed.isEmpty else { return }
        let entries = passed.map { migration in
            // The versions of the records tell which of them went through a migration on read.
            var row = LedgerEntry(
                name: migration.name,
                version: migration.version,
                outcome: migration.isOnRead ? .onRead : .ran,
                appliedAt: Date()
            )
            row.replaces = migrations.replaced(by: migration)
            row.replacedKinds = migrations.replacedKinds(by: migration)
            return row
        }
        try LedgerTable.add(entries, version: report.version, to: target.connection)
        let list = passed.map { "\"\(ErrorSummary.oneLine($0.name))\"" }.joined(separator: ", ")
        report.assume(
            "A part of the ledger is lost. The file has version \(report.version), so these migrations count as "
                + "applied: \(list)."
        )
    }

    private func writeJournal(_ target: SalvagedFile, _ report: inout SalvageReport) throws {
        report.isJournalWhole = whole.contains(.journal)
        for (_, row) in sortedRows(.journal) {
            guard row.count >= 3, row[1].string?.isEmpty == false, case .blob = row[2] else {
                report.isJournalWhole = false
                continue
            }
            let insertion = try target.statement("INSERT INTO molt_journal(store, changes) VALUES(?1, ?2)")
            try insertion.bind(row[1], at: 1)
            try insertion.bind(row[2], at: 2)
            try insertion.run()
            report.journalCount += 1
        }
    }
}
