internal import MoltCore

extension CacheTransaction {
    func renameType(_ name: String, to newName: String) throws {
        try mapped { () throws(SQLiteError) in
            // Compared by bytes: two spellings of the same letter are two names.
            guard !name.utf8.elementsEqual(newName.utf8) else { return }
            guard let oldID = try typeID(name) else { return try beginCheck() }
            defer { forgetTypes() }
            guard let newID = try typeID(newName) else {
                let rename = try connection.prepare("UPDATE molt_type SET name = ?1 WHERE id = ?2")
                try rename.bind(newName, at: 1)
                try rename.bind(oldID, at: 2)
                return try rename.run()
            }
            try finishCheck()
            // With FAIL, SQLite keeps no originals for undoing the statement, which may change every record.
            let merge = try connection.prepare("UPDATE OR FAIL molt_record SET type_id = ?1 WHERE type_id = ?2")
            try merge.bind(newID, at: 1)
            try merge.bind(oldID, at: 2)
            try merge.run()
            try deleteTypeRow(oldID)
        }
    }

    func deleteType(_ name: String) throws -> Int {
        try mapped { () throws(SQLiteError) in
            guard let typeID = try typeID(name) else {
                // There may be records whose type has lost its name.
                try beginCheck()
                return 0
            }
            defer { forgetTypes() }
            try finishCheck()
            let deletion = try connection.prepare("DELETE FROM molt_record WHERE type_id = ?1")
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

    /// The id of a type name; nil when no record was ever written with it.
    func typeID(_ name: String) throws(SQLiteError) -> Int64? {
        let statement = try statements[.typeID]
        try statement.bind(name, at: 1)
        return try statement.first { $0.integer(0) }
    }

    func addType(_ name: String) throws(SQLiteError) -> Int64 {
        if let id = try typeID(name) { return id }
        let statement = try statements[.addType]
        try statement.bind(name, at: 1)
        try statement.run()
        return connection.lastInsertedID
    }

    func typeName(_ id: Int64) throws(SQLiteError) -> String {
        if id == lastType.id { return lastType.name }
        if let name = typeNamesByID[id] {
            lastType = (id, name)
            return name
        }
        let statement = try statements[.typeName]
        try statement.bind(id, at: 1)
        let name = try statement.first { $0.text(0) } ?? ""
        typeNamesByID[id] = name
        return name
    }

    /// Clears the cached counts, because records come or go.
    func forgetCounts() {
        counts.removeAll()
        total = nil
    }

    /// Clears everything cached about types, because names, or the types of records, change.
    func forgetTypes() {
        forgetCounts()
        typeNamesByID.removeAll()
        lastType = (0, "")
        scansByTypeID.removeAll()
    }
}
