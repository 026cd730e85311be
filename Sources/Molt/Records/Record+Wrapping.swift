extension Record {
    /// An array or object around a single value.
    public enum Wrapper: Hashable, Sendable {
        /// An array with the value as its only element.
        case array
        /// An object with the value as its only property, of this name.
        case object(String)
    }

    /// Puts the value of a property into an array or object of its own.
    ///
    /// ```swift
    /// try person.wrap("phone", in: .array)                // "555" becomes ["555"]
    /// try person.wrap("phone", in: .object("number"))     // "555" becomes {"number":"555"}
    /// ```
    ///
    /// In an array, null becomes an empty array; in an object, it stays null.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - wrapper: The array or object to put the value into.
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that would be nested
    ///   too deeply.
    public mutating func wrap(_ path: PropertyPath, in wrapper: Wrapper) throws {
        try wrap(path, in: wrapper, ifMissing: requirement(of: [path]))
    }

    /// Replaces the value of a property with the only element of its array, or the only property of its object.
    ///
    /// ```swift
    /// try person.unwrap("phones", from: .array)           // ["555"] becomes "555"
    /// ```
    ///
    /// An empty array or object becomes null, and null stays null.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - wrapper: The array or object that contains the value.
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that is not such an
    ///   array or object, or has other contents.
    public mutating func unwrap(_ path: PropertyPath, from wrapper: Wrapper) throws {
        try unwrap(path, from: wrapper, ifMissing: requirement(of: [path]))
    }

    // MARK: For steps

    package mutating func wrap(_ path: PropertyPath, in wrapper: Wrapper, ifMissing: MissingProperty)
        throws
    {
        let depth = full(path).count + 1
        try replaceValue(path, ifMissing: ifMissing) { value in
            if value.elementsEqual("null".utf8) { return wrapper == .array ? .new(Array("[]".utf8)) : .kept }
            guard Self.check(value, depth: depth) == nil else {
                return .failed("cannot be wrapped: \(JSONSyntaxError.Reason.tooDeep.rawValue)")
            }
            return .new(wrapper.opening + value + [wrapper == .array ? 0x5D : 0x7D])
        }
    }

    mutating func unwrap(
        _ path: PropertyPath,
        from wrapper: Wrapper,
        ifMissing: MissingProperty
    ) throws {
        try replaceValue(path, ifMissing: ifMissing) { wrapper.content(of: $0) }
    }
}

extension Record.Wrapper {
    var identity: [String] {
        switch self {
        case .array: ["array"]
        case .object(let name): ["object", name]
        }
    }

    /// The JSON before the value.
    fileprivate var opening: [UInt8] {
        guard case .object(let name) = self else { return [0x5B] }
        var bytes: [UInt8] = [0x7B]
        JSONString.write(name, to: &bytes)
        return bytes + [0x3A]
    }

    fileprivate func content(of value: UnsafeBufferPointer<UInt8>) -> ValueChange {
        if value.elementsEqual("null".utf8) { return .kept }
        var content = SplicedObject(bytes: Array(value))
        // The value was checked when it was read, so this never throws.
        try? content.read(includesArrays: self == .array)
        let null = ValueChange.new(Array("null".utf8))
        switch (self, content.kind) {
        case (.array, .array):
            if content.entries.count == 0 { return null }
            guard content.entries.count == 1 else {
                return .failed("has \(content.entries.count) elements, of which only one can be kept")
            }
            return content.withValue(at: 0) { .new(Array($0)) }
        case (.object(let name), .object):
            if content.entries.count == 0 { return null }
            guard let index = content.lastIndex(of: name) else { return .failed("has no property \"\(name)\"") }
            guard content.names.allSatisfy({ RecordValue.Object.isSame($0, name) }) else {
                return .failed("has properties other than \"\(name)\", which would be lost")
            }
            return content.withValue(at: index) { .new(Array($0)) }
        case (.array, _): return .failed("is not an array")
        case (.object, _): return .failed("is not an object")
        }
    }
}
