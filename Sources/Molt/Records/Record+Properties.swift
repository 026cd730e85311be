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
    /// A path with ``PropertyPath/each`` gives an array of the values of all elements that have the property, and sets
    /// the property of all elements.
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

    /// Not available: a subscript has values of JSON, such as literals.
    @available(
        *,
        unavailable,
        message: "Write `try record.set(path, to: value)` or `try record.value(path, as: Value.self)`"
    )
    public subscript<Value: Codable>(path: PropertyPath) -> Value? {
        get { nil }
        set {}
    }

    /// Whether the record, or one of the elements at a path with ``PropertyPath/each``, has a property, including one
    /// with a null value.
    public func contains(_ path: PropertyPath) -> Bool {
        guard let (outer, inner) = path.atFirstEach else { return withValue(at: path) { _ in true } ?? false }
        return withValues(at: inner, inEachOf: outer) { $0.count > 2 } ?? false
    }

    /// The value of a property.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`.
    public func value(_ path: PropertyPath) throws -> RecordValue {
        guard let value = storedValue(at: path) else { throw missing(path) }
        return value
    }

    /// The value of a property, decoded as a type with the migration's coders.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` or `typeMismatch`.
    public func value<Value: Decodable>(_ path: PropertyPath, as type: Value.Type) throws -> Value {
        try decode(type, at: path)
    }

    /// The value of a string property.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` or `typeMismatch`.
    public func string(_ path: PropertyPath) throws -> String {
        try decode(String.self, at: path)
    }

    /// The value of an integer property.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` or `typeMismatch`.
    public func int(_ path: PropertyPath) throws -> Int {
        try decode(Int.self, at: path)
    }

    /// The value of a numeric property.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` or `typeMismatch`.
    public func double(_ path: PropertyPath) throws -> Double {
        try decode(Double.self, at: path)
    }

    /// The value of a Boolean property.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` or `typeMismatch`.
    public func bool(_ path: PropertyPath) throws -> Bool {
        try decode(Bool.self, at: path)
    }

    // MARK: Writing

    /// Sets a property to a value, encoded with the migration's coders; missing or null objects on the path are created.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch` when the value cannot be encoded, or when the path
    ///   leads through another kind of value.
    public mutating func set(_ path: PropertyPath, to value: some Encodable) throws {
        let bytes = try encode(value, depth: path.count, property: path)
        try put(Array(bytes), at: path)
    }

    /// Removes a property and returns its value.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`.
    @discardableResult
    public mutating func remove(_ path: PropertyPath) throws -> RecordValue {
        guard let value = storedValue(at: path) else { throw missing(path) }
        try remove(path, ifMissing: .skip)
        return value
    }

    /// Removes a property and returns its value, decoded as a type with the migration's coders.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` or `typeMismatch`; the property is then unchanged.
    public mutating func remove<Value: Decodable>(_ path: PropertyPath, as type: Value.Type) throws -> Value {
        let value = try decode(type, at: path)
        try remove(path, ifMissing: .skip)
        return value
    }

    /// Renames a property, and keeps its value and position.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - newName: The new name, without the path.
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `propertyExists` when the new name is in use.
    public mutating func rename(_ path: PropertyPath, to newName: String) throws {
        try rename(path, to: newName, ifMissing: requirement(of: [path]))
    }

    // MARK: For steps

    /// The policy of a call by the app: with `each`, elements may lack the property, but there must be elements.
    func requirement(of paths: [PropertyPath]) throws -> MissingProperty {
        guard let each = paths.first(where: { $0.hasEach })?.atFirstEach else { return .fail }
        guard elements(at: each.outer) != nil || hasNoElements(at: each.outer) else { throw missing(paths[0]) }
        return .skip
    }

    package mutating func remove(_ path: PropertyPath, ifMissing: MissingProperty) throws {
        let isPresent =
            if let name = path.onlyName {
                object.remove(name)
            } else if let (outer, inner) = path.atFirstEach {
                try changeEachElement(of: outer) { try $0.remove(inner, ifMissing: ifMissing) }
            } else if path.count == 0, elementPath != nil {
                dropElement()
            } else {
                try object.edit(path.names[...]) { object, name in object.remove(name) } ?? false
            }
        if !isPresent, ifMissing == .fail { throw missing(path) }
    }

    package mutating func rename(
        _ path: PropertyPath,
        to newName: String,
        ifMissing: MissingProperty
    ) throws {
        let renaming =
            if let name = path.onlyName {
                object.rename(name, to: newName)
            } else if let (outer, inner) = path.atFirstEach {
                try changeEachElement(of: outer) { try $0.rename(inner, to: newName, ifMissing: ifMissing) }
                    ? SplicedObject.Renaming.done : .missing
            } else {
                try object.edit(path.names[...]) { object, name in object.rename(name, to: newName) } ?? .missing
            }
        switch renaming {
        case .done: break
        case .missing: if ifMissing == .fail { throw missing(path) }
        case .exists:
            throw error(
                .propertyExists,
                "Cannot rename the property \"\(full(path))\" to \"\(newName)\": the record has a "
                    + "property with that name already.",
                advice: "Remove one of the two first.",
                property: PropertyPath(parts: path.parts.dropLast() + [.name(newName)])
            )
        }
    }

    /// Sets a property if it is missing or null; null elements stay null.
    package mutating func setIfMissing(_ path: PropertyPath, to value: [UInt8]) throws {
        if let (outer, inner) = path.atFirstEach {
            let hasElements = try changeEachElement(of: outer) { element in
                if inner.count == 0 || !element.isNull { try element.setIfMissing(inner, to: value) }
            }
            guard hasElements else { throw missing(path) }
            return
        }
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
        if let name = path.onlyName {
            return try object.lastIndex(of: name).map { try object.withValue(at: $0, body) }
        }
        if let (outer, inner) = path.atFirstEach { return try withValues(at: inner, inEachOf: outer, body) }
        if path.count == 0, elementPath != nil { return try withContent(body) }
        return try object.withValue(at: path.names[...], body)
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
                return try remove(path, ifMissing: .skip)
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
        if let (outer, inner) = path.atFirstEach {
            guard try changeEachElement(of: outer, { try $0.put(bytes, at: inner) }) else {
                throw missing(path)
            }
            return
        }
        if path.count == 0, elementPath != nil { return replaceChecked(bytes) }
        guard isObject else {
            throw error(
                .typeMismatch,
                "\(place) is \(isData ? "raw data" : "not an object"), so it has no properties.",
                property: path
            )
        }
        if let name = path.onlyName { return object.set(name, to: bytes) }
        guard full(path).count <= JSONScanner.depthLimit else {
            throw tooDeep(path)
        }
        do {
            let put: Void? = try object.edit(path.names[...], createsParents: true) { $0.set($1, to: bytes) }
            if put == nil { throw missing(path) }
        } catch let obstacle as SplicedObject.Obstacle {
            throw error(
                .typeMismatch,
                "The property \"\(full(PropertyPath(obstacle.path)))\" is neither an object nor null, so \"\(full(path))\" cannot "
                    + "be set in it.",
                property: path
            )
        }
    }

    /// The subject of a message.
    private var place: String {
        elementPath.map { "The value of \"\($0)\"" } ?? "The content"
    }

    /// The error for a missing property; the message names the first missing part of the path.
    func missing(_ path: PropertyPath) -> MoltError {
        if let outer = path.atFirstEach?.outer, outer.count == 0 || contains(outer) {
            let place = outer.count == 0 ? place : "The value of \"\(full(outer))\""
            return error(
                .propertyMissing,
                "\(place) is neither an array nor an object, so it has no elements.",
                property: path
            )
        }
        var missing = path.atFirstEach?.outer ?? path
        var obstacle: String?
        if !isObject {
            obstacle =
                isData
                ? "the content is raw data" : "\(place.prefix(1).lowercased())\(place.dropFirst()) is not an object"
        } else if let length = (1..<max(1, missing.count)).first(where: { !isObject(at: path.names.prefix($0)) }) {
            let outer = PropertyPath(Array(path.names.prefix(length)))
            if contains(outer) { obstacle = "\"\(full(outer))\" is not an object" } else { missing = outer }
        }
        return error(
            .propertyMissing,
            (elementPath.map { "An element of \"\(PropertyPath(parts: $0.parts.dropLast()))\"" } ?? "The record")
                + " has no property \"\(full(missing))\"\(obstacle.map { ": \($0)" } ?? "").",
            advice:
                "If the property may be missing, check with `contains()` or omit `ifMissing: .fail`; nil optionals are "
                + "not encoded.",
            property: path
        )
    }

    private var isNull: Bool {
        withContent { $0.elementsEqual("null".utf8) }
    }

    private mutating func dropElement() -> Bool {
        drop()
        return true
    }

    private func isObject(at path: ArraySlice<String>) -> Bool {
        object.withValue(at: path) { $0.first == 0x7B } ?? false
    }

    /// The error for a value that would be nested too deeply to be read again.
    func tooDeep(
        _ path: PropertyPath?,
        _ syntax: JSONSyntaxError = JSONSyntaxError(reason: .tooDeep, offset: 0)
    ) -> MoltError {
        error(
            .typeMismatch,
            "The value cannot be written: \(syntax.reason.rawValue).",
            property: path,
            underlying: syntax
        )
    }
}
