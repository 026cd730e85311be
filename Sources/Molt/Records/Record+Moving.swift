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
    /// - Throws: ``MoltError`` with the code `propertyMissing`; `propertyExists` when there is a property at the
    ///   new path; `typeMismatch` when the new path leads through another kind of value, or into the property itself.
    public mutating func move(_ path: PropertyPath, to newPath: PropertyPath) throws {
        try move(path, to: newPath, ifMissing: requirement(of: [path, newPath]))
    }

    /// Copies a property within the record, byte for byte.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - newPath: The path of the copy; missing or null objects on it are created.
    /// - Throws: ``MoltError`` with the code `propertyMissing`; `propertyExists` when there is a property at the
    ///   new path; `typeMismatch` when the new path leads through another kind of value, or into the property itself.
    public mutating func copy(_ path: PropertyPath, to newPath: PropertyPath) throws {
        try copy(path, to: newPath, ifMissing: requirement(of: [path, newPath]))
    }

    package mutating func move(
        _ path: PropertyPath,
        to newPath: PropertyPath,
        ifMissing: MissingProperty
    ) throws {
        try changeEachPlace(of: [path, newPath], ifMissing: ifMissing) { record, paths in
            if paths[0] == paths[1] { return record.contains(paths[0]) }
            guard try record.copyIfPresent(paths[0], to: paths[1], "move") else { return false }
            try record.remove(paths[0], ifMissing: .skip)
            return true
        }
    }

    package mutating func copy(
        _ path: PropertyPath,
        to newPath: PropertyPath,
        ifMissing: MissingProperty
    ) throws {
        try changeEachPlace(of: [path, newPath], ifMissing: ifMissing) { record, paths in
            try record.copyIfPresent(paths[0], to: paths[1], "copy")
        }
    }

    /// Copies a property if it exists; returns whether it did.
    private mutating func copyIfPresent(
        _ path: PropertyPath,
        to newPath: PropertyPath,
        _ verb: String
    ) throws -> Bool {
        guard let value = withValue(at: path, { Array($0) }) else { return false }
        if newPath.starts(with: path) {
            throw error(
                .typeMismatch,
                "Cannot \(verb) the property \"\(full(path))\" into itself, to \"\(full(newPath))\".",
                property: path
            )
        }
        if contains(newPath) {
            throw error(
                .propertyExists,
                "Cannot \(verb) the property \"\(full(path))\" to \"\(full(newPath))\": the record has a property there "
                    + "already.",
                advice: "Remove one of the two first.",
                property: newPath
            )
        }
        if let syntax = Self.check(value, depth: full(newPath).count) { throw tooDeep(newPath, syntax) }
        try put(value, at: newPath)
        return true
    }
}
