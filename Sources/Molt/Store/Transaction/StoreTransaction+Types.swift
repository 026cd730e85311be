extension StoreTransaction {
    /// Renames a type for all its records, and merges it into an existing type; unknown names are ignored.
    func renameType(_ name: String, to newName: String) throws {
        try mapped { () throws(SQLiteError) in
            // Compared by bytes: two spellings of the same letter are two names.
            guard !name.utf8.elementsEqual(newName.utf8) else { return }
            guard let oldID = try typeID(name) else { return try allTypes().checkThatNoneIsLost(connection) }
            defer { forgetTypes() }
            guard let newID = try typeID(newName) else {
                let rename = try connection.prepare("UPDATE molt_type SET name = ?1 WHERE id = ?2")
                try rename.bind(newName, at: 1)
                try rename.bind(oldID, at: 2)
                return try rename.run()
            }
            forgetCounts()
            // With FAIL, SQLite keeps no originals for undoing the statement, which may change every record. A damaged
            // index must not hide a record.
            let merge = try connection.prepare(
                "UPDATE OR FAIL molt_record NOT INDEXED SET type_id = ?1 WHERE type_id = ?2"
            )
            try merge.bind(newID, at: 1)
            try merge.bind(oldID, at: 2)
            try merge.run()
            try deleteTypeRow(oldID)
        }
    }

    /// Deletes all records of a type, and returns their number.
    func deleteType(_ name: String) throws -> Int {
        try mapped { () throws(SQLiteError) in
            guard let typeID = try typeID(name) else {
                try allTypes().checkThatNoneIsLost(connection)
                return 0
            }
            defer { forgetTypes() }
            forgetCounts()
            let deletion = try connection.prepare("DELETE FROM molt_record NOT INDEXED WHERE type_id = ?1")
            try deletion.bind(typeID, at: 1)
            try deletion.run()
            let count = connection.changes
            try deleteTypeRow(typeID)
            return count
        }
    }

    private func deleteTypeRow(_ id: Int64) throws(SQLiteError) {
        let deletion = try connection.prepare("DELETE FROM molt_type WHERE id = ?1")
        try deletion.bind(id, at: 1)
        try deletion.run()
    }

    // MARK: Ids and names

    func allTypes() throws(SQLiteError) -> TypeNameTable {
        if let types { return types }
        let types = try TypeNameTable(connection)
        self.types = types
        return types
    }

    /// The id of a type name; nil when no record was ever written with it.
    func typeID(_ name: String) throws(SQLiteError) -> Int64? {
        try allTypes().id(of: name)
    }

    func addType(_ name: String) throws(SQLiteError) -> Int64 {
        if let id = try typeID(name) { return id }
        let statement = try statements[.addType]
        try statement.bind(name, at: 1)
        try statement.run()
        forgetTypes()
        return connection.lastInsertedID
    }

    func typeName(_ id: Int64) throws(SQLiteError) -> String {
        try allTypes().names[id] ?? ""
    }

    func wantedTypes(_ names: [String]) throws(SQLiteError) -> WantedTypes {
        let types = try allTypes()
        return WantedTypes(types) { type in names.contains { ExactName.isSame($0, type) } }
    }

    /// Clears the cached counts and the size, because records come or go.
    func forgetCounts() {
        counts.removeAll()
        total = nil
        changesSizes = true
    }

    /// Clears the cached names, because they change.
    func forgetTypes() {
        types = nil
    }
}
