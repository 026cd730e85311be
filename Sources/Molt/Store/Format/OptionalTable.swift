/// A table of a file that is created when it is first needed, inside a transaction.
///
/// Other files pay nothing for it, and a release that does not know it leaves it alone.
protocol OptionalTable {
    static var name: String { get }
    /// The statement that creates the table, unless the file has it.
    static var creation: String { get }

    init(_ connection: Connection)
}

extension OptionalTable {
    /// - Returns: Nil if the file does not have the table.
    init?(of connection: Connection) throws(SQLiteError) {
        guard try connection.hasTable(Self.name) else { return nil }
        self.init(connection)
    }

    /// Creates the table, unless the file has it.
    init(creatingIn connection: Connection) throws(SQLiteError) {
        try connection.execute(Self.creation)
        self.init(connection)
    }
}
