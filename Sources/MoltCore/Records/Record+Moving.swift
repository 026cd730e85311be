extension Record {
    /// Moves a property to another place of the record; its value stays byte for byte.
    ///
    /// ```swift
    /// try person.move("street", to: ["address", "street"])
    /// ```
    ///
    /// - Parameters:
    ///   - path: The property, behind the names of the objects around it.
    ///   - newPath: Its new name, behind the names of the objects around it, which are added where there is nothing or
    ///     null.
    /// - Throws: ``MigrationError`` with the code `propertyMissing`; `propertyExists` when there is one at the new
    ///   place; `typeMismatch` when something else is on the way there, or the property would be inside itself.
    public mutating func move(_ path: PropertyPath, to newPath: PropertyPath) throws {
        guard try moveIfPresent(path, to: newPath) else { throw missing(path) }
    }

    /// Moves a property where there is one.
    ///
    /// - Returns: Whether there was one.
    package mutating func moveIfPresent(_ path: PropertyPath, to newPath: PropertyPath) throws -> Bool {
        guard let value = withValue(at: path, { Array($0) }) else { return false }
        if path == newPath { return true }
        if newPath.starts(with: path) {
            throw error(
                .typeMismatch,
                "The property \"\(path)\" cannot be moved into itself, to \"\(newPath)\".",
                property: path
            )
        }
        if contains(newPath) {
            throw error(
                .propertyExists,
                "Cannot move the property \"\(path)\" to \"\(newPath)\": the record has a property there already. Remove one "
                    + "of the two first.",
                property: newPath
            )
        }
        if let syntax = Self.check(value, depth: newPath.count, halfPairs: .allowed) { throw tooDeep(newPath, syntax) }
        try put(value, at: newPath)
        _ = try removeIfPresent(path)
        return true
    }
}
