extension Record {
    /// The names of the properties, in their stored order; empty when the content is not an object.
    public var propertyNames: [String] {
        object.names
    }

    /// Whether the content is an object, and so may have properties.
    public var isObject: Bool {
        object.kind == .object
    }

    // MARK: Reading

    /// The value of a property, or nil when the record has none; setting nil removes the property.
    ///
    /// ```swift
    /// person["firstName"] = "Ada"
    /// person[["address", "city"]] = "Paris"
    /// ```
    ///
    /// Setting a property of a record whose content is not an object fails the step when its closure returns.
    public subscript(path: PropertyPath) -> RecordValue? {
        get {
            storedValue(at: path)
        }
        set {
            if let name = path.onlyName {
                set(name, to: newValue)
            } else {
                set(path, to: newValue)
            }
        }
    }

    /// Whether the record has a property, including one with a null value.
    public func contains(_ path: PropertyPath) -> Bool {
        withValue(at: path) { _ in true } ?? false
    }

    /// The value of a property.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing`.
    public func value(_ path: PropertyPath) throws -> RecordValue {
        guard let value = storedValue(at: path) else { throw missing(path) }
        return value
    }

    /// The value of a property, decoded as a type with the store's coders.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing` or `typeMismatch`.
    public func value<Value: Decodable>(_ path: PropertyPath, as type: Value.Type) throws -> Value {
        try decode(type, at: path)
    }

    /// The value of a string property.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing` or `typeMismatch`.
    public func string(_ path: PropertyPath) throws -> String {
        try decode(String.self, at: path)
    }

    /// The value of an integer property.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing` or `typeMismatch`.
    public func int(_ path: PropertyPath) throws -> Int {
        try decode(Int.self, at: path)
    }

    /// The value of a numeric property.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing` or `typeMismatch`.
    public func double(_ path: PropertyPath) throws -> Double {
        try decode(Double.self, at: path)
    }

    /// The value of a Boolean property.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing` or `typeMismatch`.
    public func bool(_ path: PropertyPath) throws -> Bool {
        try decode(Bool.self, at: path)
    }

    // MARK: Writing

    /// Sets a property to a value, encoded with the store's coders; missing or null objects on the path are created.
    ///
    /// - Throws: ``MigrationError`` with the code `typeMismatch` when the value cannot be encoded, or when the path
    ///   leads through another kind of value.
    public mutating func set(_ path: PropertyPath, to value: some Encodable) throws {
        let bytes = try encode(value, depth: path.count, property: path)
        try put(Array(bytes), at: path)
    }

    /// Removes a property and returns its value.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing`.
    @discardableResult
    public mutating func remove(_ path: PropertyPath) throws -> RecordValue {
        guard let value = storedValue(at: path), try removeIfPresent(path) else { throw missing(path) }
        return value
    }

    /// Removes a property and returns its value, decoded as a type with the store's coders.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing` or `typeMismatch`; the property is then unchanged.
    public mutating func remove<Value: Decodable>(_ path: PropertyPath, as type: Value.Type) throws -> Value {
        let value = try decode(type, at: path)
        _ = try removeIfPresent(path)
        return value
    }

    /// Renames a property, and keeps its value and position.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - newName: The new name, without the path.
    /// - Throws: ``MigrationError`` with the code `propertyMissing`, or `propertyExists` when the new name is in use.
    public mutating func rename(_ path: PropertyPath, to newName: String) throws {
        guard try renameIfPresent(path, to: newName) else { throw missing(path) }
    }

    // MARK: For steps

    /// Removes a property if it exists; returns whether it did.
    package mutating func removeIfPresent(_ path: PropertyPath) throws -> Bool {
        if let name = path.onlyName { return object.remove(name) }
        return try object.edit(path.names[...]) { object, name in object.remove(name) } ?? false
    }

    /// Renames a property if it exists; returns whether it did.
    package mutating func renameIfPresent(_ path: PropertyPath, to newName: String) throws -> Bool {
        let renaming =
            try path.onlyName.map { object.rename($0, to: newName) }
            ?? object.edit(path.names[...]) { object, name in object.rename(name, to: newName) }
        switch renaming {
        case .done:
            return true
        case .missing, nil:
            return false
        case .exists:
            throw error(
                .propertyExists,
                "Cannot rename the property \"\(path)\" to \"\(newName)\": the record has a "
                    + "property with that name already. Remove one of the two first.",
                property: PropertyPath(path.names.dropLast() + [newName])
            )
        }
    }

    /// Sets a property if it is missing or null.
    package mutating func setIfMissing(_ path: PropertyPath, to value: [UInt8]) throws {
        let isThere = withValue(at: path) { !$0.elementsEqual("null".utf8) } ?? false
        if !isThere { try put(value, at: path) }
    }

    private func storedValue(at path: PropertyPath) -> RecordValue? {
        withValue(at: path) { bytes in
            bytes.baseAddress.map { RecordValue(checked: $0, from: 0, to: bytes.count) }
        } ?? nil
    }

    /// Passes the bytes of a property's value to a closure; returns nil when the property is missing.
    @inline(__always)
    func withValue<R>(at path: PropertyPath, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R? {
        guard let name = path.onlyName else { return try object.withValue(at: path.names[...], body) }
        return try object.lastIndex(of: name).map { try object.withValue(at: $0, body) }
    }

    private mutating func set(_ name: String, to value: RecordValue?) {
        guard let value, isObject else { return set(PropertyPath(name), to: value) }
        do throws(JSONSyntaxError) {
            if case .string(let string) = value {
                object.set(name) { JSONString.write(string, to: &$0) }
            } else {
                try object.set(name) { bytes throws(JSONSyntaxError) in try value.write(to: &bytes, depth: 1)
                }
            }
        } catch {
            fail(tooDeep(PropertyPath(name), error))
        }
    }

    private mutating func set(_ path: PropertyPath, to value: RecordValue?) {
        do {
            guard let value else {
                _ = try removeIfPresent(path)
                return
            }
            var bytes: [UInt8] = []
            do throws(JSONSyntaxError) {
                try value.write(to: &bytes, depth: path.count)
            } catch {
                throw tooDeep(path, error)
            }
            try put(bytes, at: path)
        } catch {
            fail(error)
        }
    }

    /// Sets a property to the bytes of a value, and creates missing or null objects on the path.
    mutating func put(_ bytes: [UInt8], at path: PropertyPath) throws {
        guard isObject else {
            throw error(
                .typeMismatch,
                "The content is \(isData ? "raw data" : "not an object"), so it has no properties.",
                property: path
            )
        }
        if let name = path.onlyName { return object.set(name, to: bytes) }
        guard path.count <= JSONScanner.depthLimit else {
            throw tooDeep(path, JSONSyntaxError(reason: .tooDeep, offset: 0))
        }
        do {
            let put: Void? = try object.edit(path.names[...], createsParents: true) { $0.set($1, to: bytes) }
            if put == nil { throw missing(path) }
        } catch let obstacle as SplicedObject.Obstacle {
            throw error(
                .typeMismatch,
                "The property \"\(PropertyPath(obstacle.path))\" is neither an object nor null, so \"\(path)\" cannot be "
                    + "set in it.",
                property: path
            )
        }
    }

    /// The error for a missing property; the message names the first missing part of the path.
    func missing(_ path: PropertyPath) -> MigrationError {
        var missing = path
        var obstacle: String?
        if !isObject {
            obstacle = isData ? "the content is raw data" : "the content is not an object"
        } else if let length = (1..<max(1, path.count)).first(where: { !isObject(at: path.names.prefix($0)) }) {
            let outer = PropertyPath(Array(path.names.prefix(length)))
            if contains(outer) { obstacle = "\"\(outer)\" is not an object" } else { missing = outer }
        }
        return error(
            .propertyMissing,
            "The record has no property \"\(missing)\"\(obstacle.map { ": \($0)" } ?? ""). Test with contains() first, or "
                + "leave out `ifMissing: .fail`, if it may be absent: an optional that was nil is not written at all.",
            property: path
        )
    }

    private func isObject(at path: ArraySlice<String>) -> Bool {
        object.withValue(at: path) { $0.first == 0x7B } ?? false
    }

    /// The error for a value that would be nested too deeply to be read again.
    func tooDeep(_ path: PropertyPath?, _ syntax: JSONSyntaxError) -> MigrationError {
        error(
            .typeMismatch,
            "The value cannot be written: \(syntax.reason.rawValue).",
            property: path,
            underlying: syntax
        )
    }
}
