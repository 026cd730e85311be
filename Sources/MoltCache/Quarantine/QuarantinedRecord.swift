public import Foundation
public import MoltCore

/// A record that a migration could not convert, as it was before that migration.
public struct QuarantinedRecord: Hashable, Sendable, Codable, Identifiable {
    /// The record's id in quarantine, which no other record of the store ever gets.
    public var id: Int64
    /// The record's key.
    public var key: String
    /// The record's type name.
    public var typeName: String
    /// JSON text, or raw data, byte for byte.
    public var content: Data
    /// Whether the content is raw data instead of JSON text.
    public var isData: Bool
    /// The time when it expires; nil for never.
    public var expiration: Date?
    /// The schema version that the record was last written at.
    public var version: Int
    /// The time when its key was first set.
    public var created: Date
    /// The time when its key was last set.
    public var updated: Date
    /// The reason why it could not be converted, and the step.
    public var failure: RecordFailure
    /// The time when it was quarantined.
    public var quarantined: Date
}

extension QuarantinedRecord: CustomStringConvertible, CustomReflectable {
    /// The key, the type name, the size and the reason, without the value.
    public var description: String {
        ErrorSummary.oneLine(
            "\(id): \(typeName) \"\(key)\" (\(isData ? "data, " : "")\(content.count) B, version \(version)): \(failure)"
        )
    }

    /// The members without the content, so that a dump shows no value either.
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "key": key, "typeName": typeName, "version": version, "failure": failure])
    }
}

/// A row of the table `molt_quarantine`.
struct QuarantineRow: Sendable {
    var id: Int64
    var recordID: Int64
    /// The record as the store holds it, with dates in seconds since 1970.
    var record: StoreContents.StoredRecord
    var created: Double
    var updated: Double
    var failure: RecordFailure
    var quarantined: Double
    /// Whether its numbers are valid; the file may have been edited by others.
    let isSound: Bool

    private static let columns = """
        id, record_id, key, type, version, expires_at, created_at, updated_at, migration, migration_version,
        first_step, step, step_words, code, reason, property, quarantined_at, typeof(content) = 'blob', content
        """
    /// Reads the rows between two ids.
    static let page = "SELECT \(columns) FROM molt_quarantine WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3"
    static let single = "SELECT \(columns) FROM molt_quarantine WHERE id = ?1"

    init(_ row: Statement) {
        id = row.integer(0)
        recordID = row.integer(1)
        record = StoreContents.StoredRecord(
            key: row.text(2),
            typeName: row.text(3),
            content: Array(row.bytes(18)),
            isData: row.integer(17) != 0,
            expiration: row.real(5),
            version: Self.number(row.integer(4), from: 0)
        )
        created = row.real(6) ?? 0
        updated = row.real(7) ?? 0
        failure = RecordFailure(
            migration: MigrationID(name: row.text(8), version: Self.number(row.integer(9), from: 1)),
            step: MigrationError.StepPosition(number: Self.number(row.integer(11), from: 1), summary: row.text(12)),
            firstStep: Self.number(row.integer(10), from: 1),
            code: MigrationError.Code(rawValue: row.text(13)),
            reason: row.text(14),
            property: row.isNull(15) ? nil : row.text(15)
        )
        quarantined = row.real(16) ?? 0
        let kept = [record.version, failure.migration.version, failure.firstStep, failure.step.number]
        isSound = kept == [4, 9, 10, 11].map { Int(row.integer($0)) }
    }

    /// Clamps an integer from the file to the valid range.
    private static func number(_ value: Int64, from least: Int64) -> Int {
        Int(min(max(least, value), Int64(Int32.max)))
    }

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
