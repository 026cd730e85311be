internal import Foundation
package import MoltCore

/// Reads and writes the schema version and the ledger of a file that has our tables.
package enum LedgerTable {
    /// The version and the ledger; the caller has a transaction open, so that both are of the same moment.
    static func state(_ connection: Connection) throws(SQLiteError) -> StoreState {
        let version = Int(try connection.integer("PRAGMA user_version"))
        let layout = try FileFormat.number(of: connection)
        let hasJournal = layout >= 2
        var ledger: [LedgerEntry] = []
        let query = """
            SELECT name, version, outcome, applied_at, duration, records_read, records_changed, records_dropped,
                records_created, records_quarantined, app_version, molt_version
                \(hasJournal ? ", attached_counts" : ", NULL")\(layout >= 3 ? ", fingerprint" : ", NULL")
                \(layout >= 4 ? ", is_readable" : ", 0")
            FROM molt_ledger ORDER BY id
            """
        try connection.prepare(query).eachRow { row throws(SQLiteError) in ledger.append(entry(row)) }
        let journal = hasJournal ? try JournalTable.stores(connection) : []
        let unfinished = layout >= 4 ? try UnfinishedMark.read(connection) : nil
        return StoreState(version: version, isFresh: false, ledger: ledger, journal: journal, unfinished: unfinished)
    }

    /// Adds rows and sets the version; the row of a deferred migration keeps its id.
    ///
    /// A row that is new begins a generation. That a deferred migration was made up for does not: it is not about records.
    package static func add(_ entries: [LedgerEntry], version: Int, to connection: Connection) throws(SQLiteError) {
        let insertion = try connection.prepare(
            """
            INSERT INTO molt_ledger(
                name, version, outcome, applied_at, duration, records_read, records_changed, records_dropped,
                records_created, records_quarantined, app_version, molt_version, attached_counts, fingerprint, is_readable
            ) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
            ON CONFLICT(name) DO UPDATE SET
                version = excluded.version, outcome = excluded.outcome, applied_at = excluded.applied_at,
                duration = excluded.duration, records_read = excluded.records_read,
                records_changed = excluded.records_changed, records_dropped = excluded.records_dropped,
                records_created = excluded.records_created, records_quarantined = excluded.records_quarantined,
                app_version = excluded.app_version, molt_version = excluded.molt_version,
                attached_counts = excluded.attached_counts, fingerprint = excluded.fingerprint,
                is_readable = excluded.is_readable
            WHERE molt_ledger.outcome = '\(LedgerEntry.Outcome.deferred.rawValue)'
            """
        )
        let lastID = try connection.integer("SELECT max(id) FROM molt_ledger")
        for entry in entries {
            try insertion.bind(entry.name, at: 1)
            try insertion.bind(Int64(entry.version), at: 2)
            try insertion.bind(entry.outcome.rawValue, at: 3)
            try insertion.bind(entry.appliedAt.timeIntervalSince1970, at: 4)
            try insertion.bind(entry.duration, at: 5)
            try insertion.bind(Int64(entry.counts.read), at: 6)
            try insertion.bind(Int64(entry.counts.changed), at: 7)
            try insertion.bind(Int64(entry.counts.dropped), at: 8)
            try insertion.bind(Int64(entry.counts.created), at: 9)
            try insertion.bind(Int64(entry.counts.quarantined), at: 10)
            try insertion.bind(entry.appVersion, at: 11)
            try insertion.bind(entry.moltVersion, at: 12)
            if entry.attachedCounts.isEmpty {
                try insertion.bind(nil as Double?, at: 13)
            } else {
                try insertion.bind(text(of: entry.attachedCounts), at: 13)
            }
            if let fingerprint = entry.fingerprint {
                try insertion.bind(fingerprint, at: 14)
            } else {
                try insertion.bind(nil as Double?, at: 14)
            }
            try insertion.bind(entry.isReadableByOlderReleases ? 1 : 0 as Int64, at: 15)
            try insertion.run()
        }
        if try connection.integer("SELECT max(id) FROM molt_ledger") != lastID {
            try FileFormat.beginGeneration(connection)
        }
        // A pragma takes no parameters; a number needs no quoting.
        try connection.execute("PRAGMA user_version = \(version)")
    }

    private static func entry(_ row: Statement) -> LedgerEntry {
        var counts = RecordCounts()
        counts.read = Int(clamping: row.integer(5))
        counts.changed = Int(clamping: row.integer(6))
        counts.dropped = Int(clamping: row.integer(7))
        counts.created = Int(clamping: row.integer(8))
        counts.quarantined = Int(clamping: row.integer(9))
        return LedgerEntry(
            name: row.text(0),
            version: Int(clamping: row.integer(1)),
            // A word of a newer release: the migration did count as applied.
            outcome: LedgerEntry.Outcome(rawValue: row.text(2)) ?? .ran,
            appliedAt: Date(timeIntervalSince1970: row.real(3) ?? 0),
            duration: row.real(4) ?? 0,
            counts: counts,
            attachedCounts: row.isNull(12) ? [:] : attachedCounts(in: row.text(12)),
            appVersion: row.text(10),
            moltVersion: row.text(11),
            fingerprint: row.isNull(13) ? nil : row.text(13),
            isReadableByOlderReleases: row.integer(14) != 0
        )
    }

    // MARK: The counts of attached stores, as a JSON object

    private static func text(of counts: [String: Int]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Text and whole numbers can always be encoded.
        return (try? encoder.encode(counts)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    package static func attachedCounts(in text: String) -> [String: Int] {
        // What cannot be read says nothing of the stores, as if no migration had worked on them.
        (try? JSONDecoder().decode([String: Int].self, from: Data(text.utf8))) ?? [:]
    }
}
