/// The names that the types of an older file get by migrations that its records only go through when they are read.
struct TypesOnRead: Sendable {
    private let upgrader: RecordUpgrader

    /// - Returns: Nil if no migration renames or deletes a type.
    init?(_ upgrader: RecordUpgrader?) {
        guard let upgrader, upgrader.changesTypes else { return nil }
        self.upgrader = upgrader
    }

    /// The new name of a type; nil if it is deleted.
    func name(of stored: String) -> String? { upgrader.name(ofType: stored) }

    /// The condition for the records of the types that get a name; nil for all types that are not deleted.
    func condition(for name: String?, _ connection: Connection) throws(SQLiteError) -> String {
        guard let name else { return try "type_id NOT IN (\(ids(connection) { $0 == nil }))" }
        return try "type_id IN (\(ids(connection) { $0.map { ExactName.isSame($0, name) } ?? false }))"
    }

    private func ids(
        _ connection: Connection,
        where isWanted: (_ name: String?) -> Bool
    ) throws(SQLiteError) -> String {
        let all = try TypeNameTable(connection)
        try all.checkEveryTypeHasName(connection)
        let types = all.names.filter { isWanted(name(of: $0.value)) }
        return types.keys.map(String.init).joined(separator: ", ")
    }
}
