/// A column of another library's table, and what its values are; see
/// ``MigrationStep/importTable(_:of:entity:as:key:keyPrefix:columns:onConflict:)``.
///
/// SQLite does not tell a Boolean from an integer, nor a UUID from data, so the kind is declared. A value that is not
/// of its kind is an error that names the row and the column, and null is no value.
public struct TableColumn: Sendable {
    enum Kind: Equatable, Sendable {
        case text, integer, double, float, boolean, decimal, uuid, data, externalData, json
        case date(DateForm)

        /// Its part of fingerprints, which never changes.
        fileprivate var identity: String {
            switch self {
            case .text: "text"
            case .integer: "integer"
            case .double: "double"
            case .float: "float"
            case .boolean: "boolean"
            case .decimal: "decimal"
            case .uuid: "uuid"
            case .data: "data"
            case .externalData: "externalData"
            case .json: "json"
            case .date(let form): "date " + form.rawValue
            }
        }
    }

    /// A form of dates in a column.
    public enum DateForm: String, Sendable {
        /// Seconds since 1 January 2001, as Core Data and SwiftData write them.
        case since2001
        /// Seconds since 1 January 1970.
        case since1970
        /// Milliseconds since 1 January 1970.
        case millisecondsSince1970
        /// Text such as "2026-11-24 08:30:00.125", as GRDB writes it, or in a form of ISO 8601; in UTC, unless it says
        /// otherwise.
        case text
    }

    let kind: Kind
    let name: String
    /// The row that has the column, if it is not the table's own.
    private(set) var reference: ForeignDatabase.Reference?

    private init(_ kind: Kind, _ name: String) {
        (self.kind, self.name) = (kind, name)
    }

    /// Text, also that of a URL.
    public static func text(_ column: String) -> Self { Self(.text, column) }
    /// An integer of up to 64 bits, which stays exact.
    public static func integer(_ column: String) -> Self { Self(.integer, column) }
    /// A number of type `Double`.
    public static func double(_ column: String) -> Self { Self(.double, column) }
    /// A number of type `Float`: the shortest one that stands for the stored value.
    public static func float(_ column: String) -> Self { Self(.float, column) }
    /// A Boolean: 0 or 1.
    public static func boolean(_ column: String) -> Self { Self(.boolean, column) }
    /// A decimal number, also one in text.
    ///
    /// SQLite itself keeps 15 digits of one in a numeric column.
    public static func decimal(_ column: String) -> Self { Self(.decimal, column) }
    /// A UUID: 16 bytes, or text.
    public static func uuid(_ column: String) -> Self { Self(.uuid, column) }
    /// Data, such as an archive, which the migration's coders write: by default in Base64.
    public static func data(_ column: String) -> Self { Self(.data, column) }
    /// Data of a Core Data attribute that allows external storage, which may be in a file beside the database.
    public static func externalData(_ column: String) -> Self { Self(.externalData, column) }
    /// JSON text, which becomes a value.
    public static func json(_ column: String) -> Self { Self(.json, column) }
    /// A date, which the migration's coders write.
    public static func date(_ column: String, _ form: DateForm) -> Self { Self(.date(form), column) }

    /// The column of the row that a column of the table refers to.
    ///
    /// ```swift
    /// "addressID": .uuid("ZID").of("ZADDRESS", through: "ZADDRESS")
    /// ```
    ///
    /// - Parameters:
    ///   - table: The other table.
    ///   - column: The column that refers to its rows. A row that it names must exist.
    ///   - key: The other table's column with what it names; by default that of Core Data.
    public func of(_ table: String, through column: String, key: String = "Z_PK") -> Self {
        var copy = self
        copy.reference = ForeignDatabase.Reference(column: column, table: table, target: key)
        return copy
    }

    var identity: [String] {
        var identity = [kind.identity, name]
        if let reference { identity += [reference.column, reference.table, reference.target] }
        return identity
    }
}
