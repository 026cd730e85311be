internal import Foundation

/// One run of the step that imports a table.
struct TableImport {
    /// The declaration of the import.
    struct Source: Sendable {
        var table: String
        var entity: String?
        var key: TableColumn
        var prefix: String
        var columns: [(path: PropertyPath, column: TableColumn)]

        var identity: [String] {
            [table, entity ?? "", prefix] + key.identity
                + columns.flatMap { ["property"] + $0.path.identity + $0.column.identity }
        }

        var faults: [String] {
            var faults: [String] = []
            if ![.text, .integer, .uuid].contains(key.kind) { faults.append("The key is no text, integer or UUID.") }
            if columns.isEmpty { faults.append("No column is named.") }
            for (index, (path, _)) in columns.enumerated() {
                if path.count == 0 || path.hasEach { faults.append("The path \(path) names no property.") }
                if columns[..<index].contains(where: { $0.path.starts(with: path) || path.starts(with: $0.path) }) {
                    faults.append("The property \(path) has two columns, or is inside another one.")
                }
            }
            return faults
        }
    }

    private let source: Source
    private let file: AttachedFile
    private let type: String
    private let migration: MigrationContext

    init(_ source: Source, of file: AttachedFile, _ type: String, _ migration: MigrationContext) {
        (self.source, self.file, self.type, self.migration) = (source, file, type, migration)
    }

    /// - Returns: Whether there is a file.
    func run(_ records: ImportedRecords) throws -> Bool {
        do {
            let timeout = Int32(min(migration.configuration.upgradeTimeout.seconds * 1_000, Double(Int32.max)))
            let isOver = { [configuration = migration.configuration] in (try? configuration.checkCancellation()) == nil
            }
            guard let database = try ForeignDatabase(at: file.path, busyTimeout: timeout, isOver: isOver) else {
                return false
            }
            defer { database.close() }
            try run(records, database)
            return true
        } catch let error as SQLiteError where migration.failure == nil {
            // The error of the store itself is about that.
            try migration.checkCancellation()
            throw error.isBusy
                ? failure("is in use", "Try again when no other process writes to it.", .busy, error)
                : failure("cannot be read: \(error.message)", Self.advice, .suiteFailed, error)
        }
    }

    private static let advice =
        "Check that it is the database of the other library, that it is whole, and that this "
        + "process may read it. If its directory cannot be written, copy the file and its log elsewhere."

    private func failure(
        _ problem: String,
        _ advice: String,
        _ code: MoltError.Code = .suiteFailed,
        _ error: SQLiteError? = nil
    ) -> MoltError {
        MoltError(code, "The database at \(file.path) \(problem).", advice: advice, suite: file.path, underlying: error)
    }

    private func run(_ records: ImportedRecords, _ database: ForeignDatabase) throws {
        let tables = try database.tableNames()
        try check(source.table, in: tables)
        let all = [source.key] + source.columns.map(\.column)
        for column in all { try check(column, tables, database) }
        let entities = try entities(database, among: tables)
        for table in Set([source.table] + all.compactMap(\.reference?.table)) { try database.check(table) }
        records.expectedCount = try database.count(source.table, entities: entities)
        // The key comes first; behind each column of another row, there is the one that names that row, and what it
        // names.
        let hasRowID = try database.hasRowID(source.table)
        var cells: [ForeignDatabase.Cell] = []
        let external = externalDirectory
        let converted = all.map { column in
            cells.append(ForeignDatabase.Cell(column: column.name, reference: column.reference))
            let index = Int32(cells.count)
            if let reference = column.reference {
                cells.append(ForeignDatabase.Cell(column: reference.column))
                cells.append(ForeignDatabase.Cell(column: reference.target, reference: reference))
            }
            return TableCell(
                column: column,
                index: index,
                referenceIndex: column.reference == nil ? nil : Int32(cells.count) - 1,
                coding: migration.coding,
                externalDirectory: external
            )
        }
        let content = TableRow(Array(zip(source.columns.map(\.path), converted.dropFirst())))
        let rows = try database.rows(of: source.table, cells: cells, withRowID: hasRowID, entities: entities)
        var number = 0
        while try rows.step() {
            number += 1
            try add(rows, hasRowID ? "the row \(rows.integer(0))" : "row \(number)", converted[0], content, records)
        }
    }

    private func add(
        _ row: Statement,
        _ name: @autoclosure () -> String,
        _ key: TableCell,
        _ content: TableRow,
        _ records: ImportedRecords
    ) throws {
        var text: String?
        do {
            let found = source.prefix + (try key.key(row))
            text = found
            try records.add(found) { try content.write(row, to: &$0) }
        } catch let fault as TableRow.Fault {
            try reject(row, name(), text, fault.column, fault.reason, fault.path, content, key, records)
        } catch let fault as TableCell.Fault {
            try reject(row, name(), text, key.column, fault.reason, nil, content, key, records)
        }
    }

    private func reject(
        _ row: Statement,
        _ name: String,
        _ key: String?,
        _ column: TableColumn,
        _ reason: String,
        _ path: PropertyPath?,
        _ content: TableRow,
        _ keyCell: TableCell,
        _ records: ImportedRecords
    ) throws {
        let found = key ?? source.prefix + name
        // A record of the current batch may have the key.
        try records.flush()
        let isTaken = try migration.record(forKey: found) != nil
        let record = try Record(
            key: isTaken ? "\(found), \(name)" : found,
            typeName: type,
            json: content.raw(row, key: keyCell)
        )
        let error = MoltError(
            .typeMismatch,
            "In \(name) of the table \"\(source.table)\", the column \"\(column.name)\": \(reason).",
            advice: "Correct the column's kind, or quarantine such rows with `onFailure(.quarantine(upTo:))`.",
            suite: file.path,
            key: record.key,
            type: type,
            property: path?.description
        )
        try records.reject(record, error)
    }

    // MARK: Names

    private func check(_ table: String, in tables: [String]) throws {
        guard !tables.contains(where: { $0.lowercased() == table.lowercased() }) else { return }
        let nearest = MigrationReport.UnmatchedName.nearest(to: table, among: tables)
        throw failure(
            "has no table \"\(table)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""),
            "Correct the name, or check that it is the right database."
        )
    }

    private func check(_ column: TableColumn, _ tables: [String], _ database: ForeignDatabase) throws {
        if let reference = column.reference {
            try check(reference.table, in: tables)
            try check(reference.column, of: source.table, database)
            try check(reference.target, of: reference.table, database)
        }
        try check(column.name, of: column.reference?.table ?? source.table, database)
    }

    private func check(_ column: String, of table: String, _ database: ForeignDatabase) throws {
        let columns = try database.columnNames(of: table)
        guard !columns.contains(where: { $0.lowercased() == column.lowercased() }) else { return }
        let nearest = MigrationReport.UnmatchedName.nearest(to: column, among: columns)
        throw failure(
            "has no column \"\(column)\" in its table \"\(table)\""
                + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""),
            "Correct the name; Core Data's columns are the names of the attributes in capitals, after a Z."
        )
    }

    /// The numbers of the entities whose rows are imported; nil for all rows.
    private func entities(_ database: ForeignDatabase, among tables: [String]) throws -> [Int64]? {
        guard tables.contains("Z_PRIMARYKEY"), try database.columnNames(of: source.table).contains("Z_ENT") else {
            guard let entity = source.entity else { return nil }
            throw failure("is none of Core Data, so it has no entity \"\(entity)\"", "Remove `entity:`.")
        }
        let entities = try database.entities()
        func family(of number: Int64) -> [Int64] {
            [number] + entities.filter { $0.parent == number && $0.number != number }.flatMap { family(of: $0.number) }
        }
        guard let name = source.entity else {
            // Whether or not a user has rows of the others.
            let own = entities.first { "z" + $0.name.lowercased() == source.table.lowercased() }
            let found = own.map { family(of: $0.number) } ?? []
            guard found.count > 1 else { return nil }
            let names = entities.filter { found.contains($0.number) }.map { "\"\($0.name)\"" }
            throw failure(
                "may have rows of several entities in its table \"\(source.table)\": \(names.joined(separator: ", "))",
                "Say with `entity:` which one to import; one that others inherit from includes them."
            )
        }
        guard let root = entities.first(where: { $0.name == name }) else {
            let nearest = MigrationReport.UnmatchedName.nearest(to: name, among: entities.map(\.name))
            throw failure(
                "has no entity \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""),
                "Correct the name."
            )
        }
        let lost = try database.count(source.table, besides: entities.map(\.number))
        if lost > 0 {
            migration.missingCount += lost
            migration.note(
                MigrationReport.KeyOutcome(
                    store: file.path,
                    key: source.table,
                    outcome: .notConvertible,
                    reason: "rows of entities that the database does not name: \(lost)"
                )
            )
        }
        return family(of: root.number)
    }

    /// Where Core Data keeps the large values of the database.
    private var externalDirectory: String {
        let url = URL(fileURLWithPath: file.path)
        let name = url.deletingPathExtension().lastPathComponent
        return url.deletingLastPathComponent().path + "/.\(name)_SUPPORT/_EXTERNAL_DATA"
    }
}
