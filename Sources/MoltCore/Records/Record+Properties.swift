extension Record {
    /// The names of the properties, in the order in which they are written; empty when the content is no object.
    public var propertyNames: [String] {
        object.names
    }

    /// Whether the content is an object: whether the record has properties at all.
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
    /// Setting a property of a record whose content is not an object fails the step when its closure returns.
    public subscript(path: PropertyPath) -> RecordValue? {
        get { value(at: path) }
        set {
            if let name = path.onlyName {
                set(name, to: newValue)
            } else {
                set(path, to: newValue)
            }
        }
    }

    /// Whether the record has a property, be it null.
    public func contains(_ path: PropertyPath) -> Bool {
        withValue(at: path) { _ in true } ?? false
    }

    /// The value of a property.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing`.
    public func value(_ path: PropertyPath) throws -> RecordValue {
        guard let value = value(at: path) else { throw missing(path) }
        return value
    }

    /// The value of a property, decoded as a type with the store's coders.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing` or `typeMismatch`.
    public func value<Value: Decodable>(_ path: PropertyPath, as type: Value.Type) throws -> Value {
        try decode(type, at: path)
    }

    /// The value of a property that is a string.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing` or `typeMismatch`.
    public func string(_ path: PropertyPath) throws -> String {
        try decode(String.self, at: path)
    }

    /// The value of a property that is a whole number.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing` or `typeMismatch`.
    public func int(_ path: PropertyPath) throws -> Int {
        try decode(Int.self, at: path)
    }

    /// The value of a property that is a number.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing` or `typeMismatch`.
    public func double(_ path: PropertyPath) throws -> Double {
        try decode(Double.self, at: path)
    }

    /// The value of a property that is a truth value.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing` or `typeMismatch`.
    public func bool(_ path: PropertyPath) throws -> Bool {
        try decode(Bool.self, at: path)
    }

    // MARK: Writing

    /// Sets a property to a value, encoded with the store's coders; adds the nested objects that are missing.
    ///
    /// - Throws: ``MigrationError`` with the code `typeMismatch` when the value cannot be encoded, or when something
    ///   on the way is not an object.
    public mutating func set(_ path: PropertyPath, to value: some Encodable) throws {
        let bytes = try encode(value, depth: path.count, property: path)
        try put(Array(bytes), at: path)
    }

    /// Removes a property and gives its value.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing`.
    @discardableResult
    public mutating func remove(_ path: PropertyPath) throws -> RecordValue {
        try requireObject(property: path)
        let value = value(at: path)
        guard try removed(path), let value else { throw missing(path) }
        return value
    }

    /// Removes a property and gives its value, decoded as a type with the store's coders.
    ///
    /// - Throws: ``MigrationError`` with the code `propertyMissing` or `typeMismatch`; the property is then still there.
    public mutating func remove<Value: Decodable>(_ path: PropertyPath, as type: Value.Type) throws -> Value {
        let value = try decode(type, at: path)
        _ = try removed(path)
        return value
    }

    /// Renames a property; its value and its place stay as they are.
    ///
    /// - Parameters:
    ///   - path: The name, behind the names of the objects around it.
    ///   - newName: The new name alone.
    /// - Throws: ``MigrationError`` with the code `propertyMissing`, or `propertyExists` when there is one with the
    ///   new name.
    public mutating func rename(_ path: PropertyPath, to newName: String) throws {
        try requireObject(property: path)
        guard try renamed(path, to: newName) else { throw missing(path) }
    }

    // MARK: What steps are made of

    /// Removes a property where there is one, the objects around it included.
    ///
    /// - Returns: Whether there was one.
    package mutating func removeIfPresent(_ path: PropertyPath) throws -> Bool {
        do {
            return try removed(path)
        } catch let error as MigrationError where error.code == .propertyMissing {
            return false
        }
    }

    /// Renames a property where there is one, the objects around it included.
    ///
    /// - Returns: Whether there was one.
    package mutating func renameIfPresent(_ path: PropertyPath, to newName: String) throws -> Bool {
        do {
            return try renamed(path, to: newName)
        } catch let error as MigrationError where error.code == .propertyMissing {
            return false
        }
    }

    private mutating func removed(_ path: PropertyPath) throws -> Bool {
        if let name = path.onlyName { return object.remove(name) }
        return try edit(path) { object, name in object.remove(name) }
    }

    private mutating func renamed(_ path: PropertyPath, to newName: String) throws -> Bool {
        let renaming =
            try path.onlyName.map { object.rename($0, to: newName) }
            ?? edit(path) { object, name in object.rename(name, to: newName) }
        switch renaming {
        case .done:
            return true
        case .missing:
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

    /// Sets a property where it is missing or null.
    package mutating func setIfMissing(_ path: PropertyPath, to value: [UInt8]) throws {
        let isThere = withValue(at: path) { !$0.elementsEqual("null".utf8) } ?? false
        if !isThere { try put(value, at: path) }
    }

    private func value(at path: PropertyPath) -> RecordValue? {
        withValue(at: path) { bytes in
            bytes.baseAddress.map { RecordValue(checked: $0, from: 0, to: bytes.count) }
        } ?? nil
    }

    /// Lends the bytes of a property's value; nil when there is none.
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
                try requireObject(property: path)
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

    /// Sets a property to the bytes of a value, and adds the objects around it that are missing.
    mutating func put(_ bytes: [UInt8], at path: PropertyPath) throws {
        try requireObject(property: path)
        guard path.count <= JSONScanner.depthLimit else {
            throw tooDeep(path, JSONSyntaxError(reason: .tooDeep, offset: 0))
        }
        try edit(path, createsParents: true) { object, name in object.set(name, to: bytes) }
    }

    /// Changes the object that holds a path's last name; a missing object on the way counts as a missing property.
    private mutating func edit<R>(
        _ path: PropertyPath,
        createsParents: Bool = false,
        _ body: (inout SplicedObject, String) throws -> R
    ) throws -> R {
        do {
            return try object.edit(path.names[...], createsParents: createsParents, body)
        } catch SplicedObject.PathFailure.missing(let missingPath) {
            throw missing(path, at: PropertyPath(missingPath))
        } catch SplicedObject.PathFailure.notAnObject(let blocking) {
            throw error(
                .typeMismatch,
                "The property \"\(blocking.joined(separator: "."))\" is not an object, so it has no property "
                    + "\"\(path.names.last ?? "")\".",
                property: path
            )
        } catch SplicedObject.PathFailure.malformed(let syntax) {
            throw malformed(syntax)
        }
    }

    /// Throws unless the content is an object, for what can be done to a property only.
    func requireObject(property: PropertyPath) throws {
        guard !isObject else { return }
        throw error(
            .typeMismatch,
            isData
                ? "The content is raw data, so it has no properties."
                : "The content is not an object, so it has no properties.",
            property: property
        )
    }

    /// The error for a property that is not there; the message names the first name of the path that is missing.
    func missing(_ path: PropertyPath, at missingPath: PropertyPath? = nil) -> MigrationError {
        error(
            .propertyMissing,
            "The record has no property \"\(missingPath ?? path)\". Test with contains() first when it may be absent: an optional "
                + "that was nil is not written at all.",
            property: path
        )
    }

    /// The error for a value that could not be read again at its place.
    func tooDeep(_ path: PropertyPath?, _ syntax: JSONSyntaxError) -> MigrationError {
        error(
            .typeMismatch,
            "The value cannot be written: \(syntax.reason.rawValue).",
            property: path,
            underlying: syntax
        )
    }
}
