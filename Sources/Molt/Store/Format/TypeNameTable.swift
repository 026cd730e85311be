/// The names of all types, read from the table itself: a damaged index must not hide one.
struct TypeNameTable {
    private(set) var names: [Int64: String] = [:]
    private var ids: [ExactName: Int64] = [:]

    init(_ connection: Connection) throws(SQLiteError) {
        try connection.prepare("SELECT id, name FROM molt_type NOT INDEXED").eachRow { row throws(SQLiteError) in
            names[row.integer(0)] = row.text(1)
            ids[ExactName(row.text(1))] = row.integer(0)
        }
    }

    /// Makes sure that the types of all records have names: a step would miss the records of a type without one.
    ///
    /// It takes one search by the index for each type, and reads no record.
    ///
    /// - Throws: ``SQLiteError`` for damage.
    func checkEveryTypeHasName(_ connection: Connection) throws(SQLiteError) {
        let search = try connection.prepare("SELECT min(type_id) FROM molt_record WHERE type_id > ?1")
        var last: Int64? = .min
        while let id = last {
            try search.bind(id, at: 1)
            last = try search.first { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
            if let last, names[last] == nil || last <= id { throw .missingTypeName }
        }
    }

    /// The id of a type name; nil when no record was ever written with it.
    func id(of name: String) -> Int64? { ids[ExactName(name)] }
}

/// The types whose records are read while the table of all records is scanned.
///
/// A scan takes a tenth of a second for a million records. It misses none because an index is damaged.
struct WantedTypes: Sendable {
    private let names: [Int64: String]
    /// The type looked up last; usually the next one asked for, too.
    private var last: (id: Int64, name: String?)?

    init(_ types: TypeNameTable, where isWanted: (String) -> Bool) {
        names = types.names.filter { isWanted($0.value) }
    }

    var isEmpty: Bool { names.isEmpty }
    var ids: some Collection<Int64> { names.keys }
    /// The id when there is one only: SQLite itself then skips the records of other types.
    var onlyID: Int64? { names.count == 1 ? names.keys.first : nil }

    /// The name of a type; nil when its records are not wanted.
    mutating func name(of id: Int64) -> String? {
        if let last, last.id == id { return last.name }
        let name = names[id]
        last = (id, name)
        return name
    }
}
