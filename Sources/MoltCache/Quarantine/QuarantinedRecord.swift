public import Foundation
public import MoltCore

/// A record that a migration could not convert, as it was before that migration.
public struct QuarantinedRecord: Hashable, Sendable, Codable, Identifiable {
    /// What it is called in quarantine; no other record of the store ever has the same.
    public var id: Int64
    /// The key that it had.
    public var key: String
    /// The type name that it had.
    public var typeName: String
    /// JSON text, or raw data, byte for byte.
    public var content: Data
    /// Whether the content is raw data, and not JSON text.
    public var isData: Bool
    /// When it expires; nil for never.
    public var expiration: Date?
    /// The schema version that it was last written at.
    public var version: Int
    /// When its key was first set.
    public var created: Date
    /// When its key was last set.
    public var updated: Date
    /// Why it could not be converted, and by which step.
    public var failure: RecordFailure
    /// When it was put into quarantine.
    public var quarantined: Date
}

extension QuarantinedRecord: CustomStringConvertible, CustomReflectable {
    /// The key, the type name, the size, and why it is in quarantine; never a value.
    public var description: String {
        ErrorSummary.oneLine(
            "\(id): \(typeName) \"\(key)\" (\(isData ? "data, " : "")\(content.count) B, version \(version)): \(failure)"
        )
    }

    /// What the description says, so that a dump shows no value either.
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "key": key, "typeName": typeName, "version": version, "failure": failure])
    }
}

/// A row of the table.
struct QuarantineRow: Sendable {
    var id: Int64
    var recordID: Int64
    /// As the store has it: dates are seconds since 1970 there.
    var record: StoreContents.StoredRecord
    var created: Double
    var updated: Double
    /// The name of the file that it was adopted from, when its key was not known yet.
    var digest: String?
    var failure: RecordFailure
    var quarantined: Double
    /// Whether its numbers are such as an upgrade writes: anybody can write into the file.
    let isSound: Bool

    /// The columns, in the order in which they are read.
    private static let columns = """
        id, record_id, key, type, version, expires_at, created_at, updated_at, digest, migration, migration_version,
        first_step, step, step_words, code, reason, property, quarantined_at, typeof(content) = 'blob', content
        """
    /// Reads rows behind an id, through another.
    static let page = "SELECT \(columns) FROM molt_quarantine WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3"
    /// Reads one row.
    static let single = "SELECT \(columns) FROM molt_quarantine WHERE id = ?1"

    /// Copies a row of these queries.
    init(_ row: Statement) {
        id = row.integer(0)
        recordID = row.integer(1)
        record = StoreContents.StoredRecord(
            key: row.text(2),
            typeName: row.text(3),
            content: Array(row.bytes(19)),
            isData: row.integer(18) != 0,
            expiration: row.real(5),
            version: Self.number(row.integer(4), from: 0)
        )
        created = row.real(6) ?? 0
        updated = row.real(7) ?? 0
        digest = row.isNull(8) ? nil : row.text(8)
        failure = RecordFailure(
            migration: MigrationID(name: row.text(9), version: Self.number(row.integer(10), from: 1)),
            step: MigrationError.StepPosition(number: Self.number(row.integer(12), from: 1), words: row.text(13)),
            firstStep: Self.number(row.integer(11), from: 1),
            code: MigrationError.Code(rawValue: row.text(14)),
            reason: row.text(15),
            property: row.isNull(16) ? nil : row.text(16)
        )
        quarantined = row.real(17) ?? 0
        let kept = [record.version, failure.migration.version, failure.firstStep, failure.step.number]
        isSound = kept == [4, 10, 11, 12].map { Int(row.integer($0)) }
    }

    /// A number that a store can hold.
    private static func number(_ value: Int64, from least: Int64) -> Int {
        Int(min(max(least, value), Int64(Int32.max)))
    }

    /// The row as apps see it.
    var publicRecord: QuarantinedRecord {
        QuarantinedRecord(
            id: id,
            key: record.key,
            typeName: record.typeName,
            content: Data(record.content),
            isData: record.isData,
            expiration: record.expiration.map { Date(timeIntervalSince1970: $0) },
            version: record.version,
            created: Date(timeIntervalSince1970: created),
            updated: Date(timeIntervalSince1970: updated),
            failure: failure,
            quarantined: Date(timeIntervalSince1970: quarantined)
        )
    }
}
