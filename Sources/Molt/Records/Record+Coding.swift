public import Foundation

extension Record {
    /// The whole content as a value.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch` when the content is raw data.
    public func content() throws -> RecordValue {
        guard !isData else {
            throw error(.typeMismatch, "The content is raw data.", advice: "Read the property `data` instead.")
        }
        do {
            return try RecordValue(json: contentBytes)
        } catch let syntax as JSONSyntaxError {
            throw malformed(syntax)
        }
    }

    /// The content if it is raw data; nil if it is JSON.
    public var data: Data? {
        isData ? Data(object.bytes[0..<object.contentEnd]) : nil
    }

    /// The whole content, decoded as a type with the migration's coders.
    ///
    /// If an object has two properties of the same name, it is the decoder that chooses one; all other reads take the
    /// last one.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch`.
    public func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        if isData {
            if let data = data as? Value { return data }
            throw error(.typeMismatch, "The content is raw data and cannot be decoded as \(type).")
        }
        if object.kind == .unread, let syntax = Self.check(contentBytes, depth: 0) { throw malformed(syntax) }
        do {
            guard object.isUnchanged else { return try coding.decoder.decode(type, from: Data(contentBytes)) }
            return try coding.decoder.decode(type, from: Data(object.bytes[..<object.contentEnd]))
        } catch {
            throw mismatch(type, property: nil, error)
        }
    }

    /// Replaces the whole content with a value, encoded with the migration's coders; `Data` is stored as raw data.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch` when the value cannot be encoded.
    public mutating func replaceContent(with value: some Encodable) throws {
        try replaceUnread(with: value)
        try read()
    }

    /// Replaces the whole content with a value without indexing its properties.
    mutating func replaceUnread(with value: some Encodable) throws {
        // The cast also unwraps optionals.
        let data = value as? Data
        let content = try data ?? encode(value, depth: 0, property: nil)
        content.withUnsafeBytes { object.replaceContent(with: $0) }
        isData = data != nil
    }

    /// Replaces the whole content with a value.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch` when it is nested too deeply.
    public mutating func replaceContent(with value: RecordValue) throws {
        do {
            let content = try value.json()
            content.withUnsafeBytes { object.replaceContent(with: $0) }
        } catch let syntax as JSONSyntaxError {
            throw tooDeep(nil, syntax)
        }
        isData = false
        try read()
    }

    private var contentBytes: [UInt8] {
        var bytes: [UInt8] = []
        writeContent(to: &bytes)
        return bytes
    }

    /// Encodes a value, and checks that the encoder's output is valid JSON at its nesting depth.
    func encode(_ value: some Encodable, depth: Int, property: PropertyPath?) throws -> Data {
        let content: Data
        do {
            content = try coding.encoder.encode(value)
        } catch {
            throw self.error(
                .typeMismatch,
                CodingProblem(error, encoding: Swift.type(of: value)).text(in: property),
                property: property,
                underlying: error
            )
        }
        let failure = content.withUnsafeBytes { Self.check($0.bindMemory(to: UInt8.self), depth: depth) }
        if let failure { throw tooDeep(property, failure) }
        return content
    }

    /// Returns the error that prevents bytes from being valid JSON at a nesting depth, or nil.
    static func check(_ bytes: [UInt8], depth: Int) -> JSONSyntaxError? {
        bytes.withUnsafeBufferPointer { check($0, depth: depth) }
    }

    static func check(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int) -> JSONSyntaxError? {
        guard let base = bytes.baseAddress else {
            return JSONSyntaxError(reason: .unexpectedEnd, offset: 0)
        }
        var scanner = JSONScanner(base: base, to: bytes.count)
        do throws(JSONSyntaxError) {
            scanner.skipWhitespace()
            try scanner.skipValue(depth: depth)
            try scanner.expectEnd()
            return nil
        } catch {
            return error
        }
    }

    /// Decodes a property; strings, Booleans and plain integers are decoded without a decoder.
    func decode<Value: Decodable>(_ type: Value.Type, at path: PropertyPath) throws -> Value {
        // A fast path for the most common case, without the cost of generic values.
        if type == String.self, let name = path.onlyName, let index = object.lastIndex(of: name),
            let string = object.string(at: index)
        {
            return withUnsafePointer(to: string) { string in
                UnsafeRawPointer(string).assumingMemoryBound(to: Value.self).pointee
            }
        }
        return try decodeWithCoders(type, at: path)
    }

    private func decodeWithCoders<Value: Decodable>(_ type: Value.Type, at path: PropertyPath) throws -> Value {
        let decoded: Value?
        do {
            decoded = try withValue(at: path) { try decodeValue(type, from: $0) }
        } catch {
            throw mismatch(type, property: path, error)
        }
        if let decoded { return decoded }
        throw missing(path)
    }

    /// Decodes a property's value from bytes without surrounding white space.
    @inline(__always)
    private func decodeValue<Value: Decodable>(
        _ type: Value.Type,
        from bytes: UnsafeBufferPointer<UInt8>
    ) throws -> Value {
        try Self.decodeScalar(type, bytes) ?? coding.decoder.decode(type, from: Data(buffer: bytes))
    }

    @inline(__always)
    private static func decodeScalar<Value>(_ type: Value.Type, _ bytes: UnsafeBufferPointer<UInt8>) -> Value? {
        guard let base = bytes.baseAddress else { return nil }
        if type == String.self {
            return bytes[0] == 0x22 ? JSONString.decode(base, from: 0, to: bytes.count) as? Value : nil
        }
        if type == Int.self {
            return Self.integer(bytes) as? Value
        }
        if type == Bool.self {
            switch bytes[0] {
            case 0x74: return true as? Value
            case 0x66: return false as? Value
            default: return nil
            }
        }
        return nil
    }

    /// An integer of at most 18 digits, which cannot overflow; nil leaves the value to the decoder.
    private static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let isNegative = bytes[0] == 0x2D
        let digits = bytes[(isNegative ? 1 : 0)...]
        guard digits.count <= 18 else { return nil }
        var value = 0
        for byte in digits {
            guard 0x30...0x39 ~= byte else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return isNegative ? -value : value
    }

    private func mismatch(_ type: Any.Type, property: PropertyPath?, _ underlying: any Error) -> MoltError {
        let content = property.map { path in withValue(at: path) { Array($0) } ?? [] } ?? contentBytes
        let problem = CodingProblem(underlying, decoding: type, from: content)
        let advice =
            property == nil
            ? "The record was written as \(typeName), and is decoded as \(type). Decode it with the model that wrote "
                + "it, and with the same coders: see `MigrationRegistry.coding(_:through:)`."
            : "Read the property as its stored type, and convert the value."
        return error(
            .typeMismatch,
            problem.text(in: property),
            advice: advice,
            property: property ?? (problem.place.isEmpty ? nil : PropertyPath(problem.place)),
            underlying: underlying
        )
    }
}
