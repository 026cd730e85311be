internal import Foundation

/// The shape that each type was last written with, and the schema version at that time.
///
/// The table is created with the first shape. Code that removes records or upgrades the file need not know of it.
struct ShapeTable {
    private let connection: Connection

    private static let name = "molt_shape"
    private static let creation = """
        CREATE TABLE IF NOT EXISTS molt_shape(
            type TEXT PRIMARY KEY NOT NULL,
            version INTEGER NOT NULL,
            shape TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        """

    /// Uses a connection that is inside a write transaction.
    init(_ connection: Connection) {
        self.connection = connection
    }

    /// The shape of a type at a version; nil when there is none or it cannot be decoded.
    func shape(of type: String, version: Int) throws(SQLiteError) -> TypeShape? {
        guard try connection.hasTable(Self.name) else { return nil }
        let query = "SELECT shape FROM molt_shape WHERE type = ?1 AND version = ?2"
        guard let text = try connection.prepare(query, type, version).first({ $0.text(0) }) else { return nil }
        // An undecodable shape, as of a newer release, is replaced; no value is lost with it.
        return try? JSONDecoder().decode(TypeShape.self, fromStored: Data(text.utf8))
    }

    /// The shapes of all types at a version that can be decoded, by type.
    func shapes(version: Int) throws(SQLiteError) -> [(type: String, shape: TypeShape)] {
        guard try connection.hasTable(Self.name) else { return [] }
        var shapes: [(type: String, shape: TypeShape)] = []
        let query = "SELECT type, shape FROM molt_shape WHERE version = ?1 ORDER BY type"
        try connection.prepare(query, version).eachRow { row throws(SQLiteError) in
            let shape = try? JSONDecoder().decode(TypeShape.self, fromStored: Data(row.text(1).utf8))
            if let shape { shapes.append((row.text(0), shape)) }
        }
        return shapes
    }

    /// Deletes all shapes after a migration, which may have changed them.
    ///
    /// That includes a late migration to the version that the file already has. The transaction has written the ledger.
    static func clear(_ connection: Connection) throws(SQLiteError) {
        guard connection.hasTableInTransaction(Self.name) else { return }
        try connection.execute("DELETE FROM molt_shape")
    }

    func keep(_ shape: TypeShape, of type: String, version: Int) throws(SQLiteError) {
        // Names and Booleans can always be encoded. If this failed, the value would still be written.
        guard let data = try? JSONEncoder([.sortedKeys, .withoutEscapingSlashes]).encode(shape) else { return }
        try connection.execute(Self.creation)
        let insertion = """
            INSERT INTO molt_shape(type, version, shape) VALUES(?1, ?2, ?3)
            ON CONFLICT(type) DO UPDATE SET version = excluded.version, shape = excluded.shape
            """
        try connection.run(insertion, type, version, String(decoding: data, as: UTF8.self))
    }
}
