extension Record {
    /// Moves a property within the record; its value stays byte for byte the same.
    ///
    /// ```swift
    /// try person.move("street", to: ["address", "street"])
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - newPath: Its new path; missing or null objects on it are created.
    /// - Throws: ``MigrationError`` with the code `propertyMissing`; `propertyExists` when there is a property at the
    ///   new path; `typeMismatch` when the new path leads through another kind of value, or into the property itself.
    public mutating func move(_ path: PropertyPath, to newPath: PropertyPath) throws {
        guard try moveIfPresent(path, to: newPath) else { throw missing(path) }
    }

    /// Copies a property within the record, byte for byte.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - newPath: The path of the copy; missing or null objects on it are created.
    /// - Throws: ``MigrationError`` with the code `propertyMissing`; `propertyExists` when there is a property at the
    ///   new path; `typeMismatch` when the new path leads through another kind of value, or into the property itself.
    public mutating func copy(_ path: PropertyPath, to newPath: PropertyPath) throws {
        guard try copyIfPresent(path, to: newPath) else { throw missing(path) }
    }

    /// Moves a property if it exists; returns whether it did.
    package mutating func moveIfPresent(_ path: PropertyPath, to newPath: PropertyPath) throws -> Bool {
        if path == newPath { return contains(path) }
        guard try copyIfPresent(path, to: newPath, "move") else { return false }
        _ = try removeIfPresent(path)
        return true
    }

    /// Copies a property if it exists; returns whether it did.
    package mutating func copyIfPresent(
        _ path: PropertyPath,
        to newPath: PropertyPath,
        _ verb: String = "copy"
    ) throws -> Bool {
        guard let value = withValue(at: path, { Array($0) }) else { return false }
        if newPath.starts(with: path) {
            throw error(
                .typeMismatch,
                "Cannot \(verb) the property \"\(path)\" into itself, to \"\(newPath)\".",
                property: path
            )
        }
        if contains(newPath) {
            throw error(
                .propertyExists,
                "Cannot \(verb) the property \"\(path)\" to \"\(newPath)\": the record has a property there already. Remove one "
                    + "of the two first.",
                property: newPath
            )
        }
        if let syntax = Self.check(value, depth: newPath.count) { throw tooDeep(newPath, syntax) }
        try put(value, at: newPath)
        return true
    }
}
