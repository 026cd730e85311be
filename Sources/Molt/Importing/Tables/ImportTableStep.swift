public import Foundation

extension MigrationStep {
    /// Imports the rows of a table that another library has written, such as Core Data, SwiftData or GRDB.
    ///
    /// ```swift
    /// .importTable(
    ///     "ZPERSON", of: oldStore, as: "Person", key: .uuid("ZID"),
    ///     columns: [
    ///         "name": .text("ZNAME"), "born": .date("ZBORN", .since2001), "isActive": .boolean("ZISACTIVE"),
    ///         ["address", "city"]: .text("ZCITY"), "teamID": .uuid("ZID").of("ZTEAM", through: "ZTEAM"),
    ///     ]
    /// )
    /// ```
    ///
    /// The step also runs on a new store; without a file, it imports nothing, and the report says so. The records have
    /// the form of the migration's own version, and go through later migrations. A property has the value that an
    /// `Encodable` type would write with the migration's coders; null is left out, and so is an object without values.
    ///
    /// The table is read in one transaction, with the log beside the file. The database and its log stay as they are.
    /// SQLite may create or change the file whose name ends with `-shm`, and leave an empty log; copy the database, its
    /// log and the directory of its large values elsewhere, if that matters. Nothing else may write to the database
    /// until it is removed: do that with ``Migration/removingSource(_:_:)``.
    ///
    /// A value that is not of its column's kind is an error that names the row and the column, and nothing is imported.
    /// With ``onFailure(_:)``, such a row is quarantined or dropped instead, as an object with its values by the names
    /// of the columns.
    ///
    /// A table of Core Data also holds the entities that inherit from its own. If there are any, say with `entity`
    /// which rows you want.
    ///
    /// An upgrade fails with the code `suiteFailed` if the file is no database, is damaged, or lacks the table or a
    /// column, and with `busy` while another process holds a lock on it.
    ///
    /// - Parameters:
    ///   - table: The table's name, or that of a view.
    ///   - database: The database. Its location is not part of the fingerprint.
    ///   - entity: The name of the rows' entity in Core Data, in code; those that inherit from it are included.
    ///   - type: The type name of the records.
    ///   - key: The column with the keys: text, integers or UUIDs. Core Data may give its own numbers, in `Z_PK`, anew.
    ///   - prefix: The beginning of all keys; empty by default.
    ///   - columns: The properties of the records, each with its column.
    ///   - policy: The policy for two different records with the same key; by default the upgrade fails with the code
    ///     `keyExists`.
    public static func importTable(
        _ table: String,
        of database: URL,
        entity: String? = nil,
        as type: String,
        key: TableColumn,
        keyPrefix prefix: String = "",
        columns: KeyValuePairs<PropertyPath, TableColumn>,
        onConflict policy: ConflictPolicy<Record> = .fail
    ) -> MigrationStep {
        let file = AttachedFile(path: FileStatus.path(of: database), isDatabase: true)
        let columns = columns.map { (path: $0.key, column: $0.value) }
        let source = TableImport.Source(table: table, entity: entity, key: key, prefix: prefix, columns: columns)
        let declaration = ImportRecordsStep(
            summary: "from the table \"\(table)\" of \(file.fileName)",
            type: type,
            kind: ["importTable"] + source.identity,
            policy: policy,
            faults: source.faults
        )
        let work = BringWork(source: .file(file), type: type, encodes: true, canReject: true) { migration in
            let records = ImportedRecords(type, policy, migration)
            let isThere = try TableImport(source, of: file, type, migration).run(records)
            if !isThere {
                migration.missingCount += 1
                migration.note(
                    MigrationReport.KeyOutcome(
                        store: file.path,
                        key: table,
                        outcome: .absent,
                        reason: "there is no such file"
                    )
                )
            }
            try records.finish()
        }
        return MigrationStep(declaration, .bring(work))
    }
}
