import Foundation
import Molt

/// A table in the database of another library: a few rows with some of the values that their columns may have.
///
/// The file is removed with the object. The migration that imports the table retains it.
final class RandomTable: Sendable {
    /// A kind of column, with values in SQL that are of its kind, and some that are not.
    private struct Kind: Sendable {
        var column: @Sendable (String) -> TableColumn
        var values: [String]
        var others: [String]
    }

    private static let kinds: [Kind] = [
        Kind(column: { .text($0) }, values: ["'text'", "'a b'", "'[1]'", "''"], others: ["1", "x'ff'"]),
        Kind(column: { .integer($0) }, values: ["1", "2.0", "-9223372036854775808"], others: ["0.5", "'1'"]),
        Kind(column: { .double($0) }, values: ["0.5", "3", "1e300"], others: ["9e999", "'x'"]),
        Kind(column: { .float($0) }, values: ["0.1", "16777216"], others: ["1e300", "x'00'"]),
        Kind(column: { .boolean($0) }, values: ["0", "1"], others: ["2", "'true'"]),
        Kind(column: { .decimal($0) }, values: ["'12345678901234567890.50'", "1.5"], others: ["'1,5'", "x'01'"]),
        Kind(column: { .uuid($0) }, values: [uuid(9), "'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'"], others: ["x'00'"]),
        Kind(column: { .data($0) }, values: ["x'00ff'", "x''"], others: ["'text'"]),
        Kind(column: { .externalData($0) }, values: ["x'0141'"], others: ["x'0541'", "x'02'"]),
        Kind(column: { .json($0) }, values: [#"'{"in" : [1, null]}'"#, #"'"a b"'"#, "2"], others: ["'{'", "x'ff'"]),
        Kind(column: { .date($0, .since2001) }, values: ["0", "-0.5", "756000000.25"], others: ["1e300", "'x'"]),
        Kind(column: { .date($0, .text) }, values: ["'2026-11-24 08:30:00.125'"], others: ["'soon'", "7"]),
        Kind(
            column: { TableColumn.text("label").of("other", through: $0, key: "id") },
            values: ["1", "2"],
            others: ["3", "'x'"]
        ),
    ]

    private static func uuid(_ number: Int) -> String { "x'" + String(repeating: "0\(number)", count: 16) + "'" }

    private let url: URL
    private let key: TableColumn
    private let prefix: String
    private let columns: [(path: PropertyPath, column: TableColumn)]

    /// Writes the database.
    ///
    /// - Parameters:
    ///   - mark: A number for the keys.
    ///   - fails: Whether some values are not of their column's kind.
    init(_ random: inout SeededGenerator, mark: Int, fails: Bool) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "molt-table-\(UUID().uuidString).sqlite")
        prefix = "table\(mark)-"
        var names = RandomUpgrade.names
        names.remove(at: random.below(names.count))
        let kinds = names.map { _ in random.pick(Self.kinds) }
        columns = zip(names, kinds).map { name, kind in
            (random.oneIn(4) ? [PropertyPath(name), "in"] : PropertyPath(name), kind.column(name))
        }
        let keys: [String]
        switch random.below(3) {
        case 0: (key, keys) = (.integer("id"), (1...4).map { "\($0)" })
        case 1: (key, keys) = (.uuid("id"), (1...4).map(Self.uuid))
        default: (key, keys) = (.text("id"), (1...4).map { "'k\($0)'" })
        }
        let rows = keys.prefix(1 + random.below(4)).map { key in
            let values = kinds.map { kind in
                if random.oneIn(4) { return "NULL" }
                return random.pick(fails && random.oneIn(6) ? kind.others : kind.values)
            }
            return "(" + ([fails && random.oneIn(8) ? "NULL" : key] + values).joined(separator: ", ") + ")"
        }
        // Columns without a type keep each value as it is.
        let sql = """
            PRAGMA synchronous = OFF; BEGIN;
            CREATE TABLE item (id, \(names.joined(separator: ", ")));
            CREATE TABLE other (id, label TEXT); INSERT INTO other VALUES (1, 'one'), (2, NULL);
            INSERT INTO item VALUES \(rows.joined(separator: ", ")); COMMIT;
            """
        try Data().write(to: url)
        let connection = try Connection(url.path, mode: .readWrite)
        defer { connection.close() }
        try connection.execute(sql)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The step that imports all of it.
    func step(as type: String) -> MigrationStep {
        .importTable(
            "item",
            of: url,
            as: type,
            key: key,
            keyPrefix: prefix,
            columns: [
                columns[0].path: columns[0].column, columns[1].path: columns[1].column,
                columns[2].path: columns[2].column,
            ]
        )
    }
}
