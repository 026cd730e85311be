/// The names of all types, read from the table itself: a damaged index must not hide one.
///
/// A record whose type has no name is damage, on every path: it would be in no list, and go through no migration. So
/// would be a name that is not text, or that two types have.
struct TypeNameTable {
    private(set) var names: [Int64: String] = [:]
    private var ids: [ExactName: Int64] = [:]

    init(_ connection: Connection) throws(SQLiteError) {
        try connection.prepare(.types).eachRow { row throws(SQLiteError) in
            let (id, name) = (row.integer(0), try row.typeName(1))
            names[id] = name
            guard ids.updateValue(id, forKey: ExactName(name)) == nil else { throw .sharedTypeName }
        }
    }

    /// The name of a record's type.
    func name(of id: Int64) throws(SQLiteError) -> String {
        guard let name = names[id] else { throw .missingTypeName }
        return name
    }

    /// The id of a type name; nil when no record was ever written with it.
    ///
    /// - Throws: ``SQLiteError`` for damage: the name may be one that records have lost.
    func id(of name: String, in connection: Connection) throws(SQLiteError) -> Int64? {
        if let id = ids[ExactName(name)] { return id }
        try checkEveryTypeHasName(connection)
        return nil
    }

    /// Makes sure that the types of all records have names: a step would miss the records of a type without one.
    ///
    /// It takes one search by the index for each type, and reads no record.
    ///
    /// - Throws: ``SQLiteError`` for damage.
    func checkEveryTypeHasName(_ connection: Connection) throws(SQLiteError) {
        let search = try connection.prepare(.nextTypeID)
        var last: Int64? = .min
        while let id = last {
            try search.bind(id, at: 1)
            last = try search.first { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
            if let last, names[last] == nil || last <= id { throw .missingTypeName }
        }
    }
}

/// The types whose records are read while the table of all records is scanned.
///
/// A scan takes a tenth of a second for a million records. It misses none because an index is damaged.
struct WantedTypes: Sendable {
    /// The names of all types, those that are not wanted as nil.
    private let names: [Int64: String?]
    /// The type looked up last; usually the next one asked for, too.
    private var last: (id: Int64, name: String?)?
    let ids: [Int64]

    init(_ types: TypeNameTable, where isWanted: (String) -> Bool) {
        names = types.names.mapValues { isWanted($0) ? $0 : nil }
        ids = names.filter { $0.value != nil }.map(\.key)
    }

    var isEmpty: Bool { ids.isEmpty }
    /// Whether the records of all types are wanted.
    var isAll: Bool { ids.count == names.count }
    /// The id when there is one only: SQLite itself then skips the records of other types.
    var onlyID: Int64? { ids.count == 1 ? ids.first : nil }

    /// The name of a record's type; nil when its records are not wanted.
    mutating func name(of id: Int64) throws(SQLiteError) -> String? {
        if let last, last.id == id { return last.name }
        // The check at the end of a pass searches the index of types, which may be as it was earlier.
        guard let name = names[id] else { throw .missingTypeName }
        last = (id, name)
        return name
    }
}

/// Reads the names of the types in the rows of a listing; consecutive rows mostly have the same one.
struct TypeNamesInRows {
    private var last = ""

    /// The name of a record's type.
    mutating func name(_ row: Statement, _ column: Int32) throws(SQLiteError) -> String {
        // A name that is NULL has no bytes either.
        if !last.isEmpty, row.isText(column, last) { return last }
        last = try row.typeName(column)
        return last
    }
}

extension Statement {
    /// The name of a record's type in a row; without one, or if it is not text, the file is damaged.
    func typeName(_ column: Int32) throws(SQLiteError) -> String {
        let name = text(column)
        guard !isNull(column), isText(column, name) else { throw .missingTypeName }
        return name
    }

    /// A record's key in a row.
    ///
    /// - Throws: ``SQLiteError`` for one that is not text: replacing its bytes would make one key of two.
    func key(_ column: Int32) throws(SQLiteError) -> String {
        let key = text(column)
        guard isText(column, key) else { throw .malformedKey }
        return key
    }
}
