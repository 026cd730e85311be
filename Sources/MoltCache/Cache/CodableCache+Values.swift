public import Foundation
internal import MoltCore

extension CodableCache {
    // MARK: Setting

    /// Stores a value under a key, in place of the one before.
    ///
    /// `Data` is stored as raw data, everything else as JSON text. A value in an optional is stored as the value, under
    /// its type's name; nil is stored as `null`, and does not remove what was there.
    ///
    /// - Parameters:
    ///   - value: The value; its type's name is stored with it.
    ///   - key: The key.
    ///   - expiry: When it expires; by default what the configuration says.
    /// - Throws: ``CacheError`` with the code `notEncodable`, `tooLarge`, `closed`, `busy`, `fileReplaced` or
    ///   `storeFailed`; ``MigrationError`` with the code `storeChanged` or, see ``Configuration/drift``, `schemaDrift`.
    public func set<Value: Encodable>(_ value: Value, forKey key: String, expiry: Expiry? = nil) throws {
        // Not held meanwhile: the app's own code encodes.
        var names = lastTypeName.withLock { $0 }
        let before = names.lastType
        let content = try encode(value, key: key, expiry: expiry, isKnown: knownTypes.contains, &names)
        if names.lastType != before { lastTypeName.withLock { [names] last in last = names } }
        _ = try change { session throws(SQLiteError) in try session.apply(.set(key: key, content: content)) }
    }

    /// Removes the value under a key.
    ///
    /// - Returns: Whether there was one that had not expired.
    @discardableResult
    public func remove(forKey key: String) throws -> Bool {
        try change { session throws(SQLiteError) in try session.apply(.remove(key: key)) }
    }

    // MARK: Reading

    /// The value under a key, or nil when there is none or it has expired.
    ///
    /// The value may have been written as another type, as long as this one can decode it. Lately read values are
    /// kept in memory, class instances excepted: someone could change those.
    ///
    /// - Throws: ``CacheError`` with the code `unreadableContent` when the content is damaged or has another shape,
    ///   with the type that it was written as; the stored bytes stay. `closed`, `busy`, `storeFailed`;
    ///   ``MigrationError`` with the code `storeChanged`.
    public func value<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self,
        forKey key: String
    ) throws -> Value? {
        guard configuration.memory != nil, !(type is AnyClass) else { return try uncached(type, forKey: key) }
        if let box = try core.remembered(type, key) { return box.value(as: type) }
        return try readAndRemember(type, forKey: key)
    }

    private func readAndRemember<Value: Decodable & Sendable>(_ type: Value.Type, forKey key: String) throws -> Value? {
        let (found, ticket) = try core.lookUp(key)
        guard let found else { return nil }
        let value = try decode(type, found)
        if let ticket { core.remember(value, of: found, ticket) }
        return value
    }

    /// The value under a key, or nil when there is none or it has expired.
    ///
    /// For types that are not `Sendable`: their values are never kept in memory.
    ///
    /// - Throws: As ``value(_:forKey:)-(_,String)`` for types that are `Sendable`.
    public func value<Value: Decodable>(_ type: Value.Type = Value.self, forKey key: String) throws -> Value? {
        try uncached(type, forKey: key)
    }

    private func uncached<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
        guard let found = try row(key) else { return nil }
        return try decode(type, found)
    }

    /// The value under a key with its dates, size, expiry and type name, or nil when there is none.
    ///
    /// - Throws: As reading the value does.
    public func entry<Value: Decodable>(_ type: Value.Type = Value.self, forKey key: String) throws -> Entry<Value>? {
        let row = try core.read { session throws(SQLiteError) in
            try session.content(key).map { found throws(SQLiteError) in
                (found, dates: try session.dates(id: found.id))
            }
        }
        guard let (found, dates) = row else { return nil }
        return Entry(
            value: try decode(type, found),
            key: found.key,
            typeName: found.typeName,
            expiration: found.expiration.map { Date(timeIntervalSince1970: $0) },
            created: Date(timeIntervalSince1970: dates.created),
            updated: Date(timeIntervalSince1970: dates.updated),
            size: found.data.count
        )
    }

    /// Whether there is a value under a key that has not expired; neither reads the value nor counts as a use.
    public func contains(_ key: String) throws -> Bool {
        try typeName(forKey: key) != nil
    }

    /// The name of the type that the value under a key was written as, or nil when there is none.
    public func typeName(forKey key: String) throws -> String? {
        try core.read { session throws(SQLiteError) in try session.typeName(key) }
    }

    // MARK: Raw data

    /// Stores raw data under a key, in place of what was there before.
    ///
    /// - Throws: As ``set(_:forKey:expiry:)``.
    public func setData(_ data: Data, forKey key: String, expiry: Expiry? = nil) throws {
        try set(data, forKey: key, expiry: expiry)
    }

    /// The raw data under a key, or nil when there is none or it has expired.
    ///
    /// - Throws: ``CacheError`` with the code `unreadableContent` when the key holds a value and not raw data.
    public func data(forKey key: String) throws -> Data? {
        guard let found = try row(key) else { return nil }
        guard found.isData else { throw unreadable(Data.self, found, nil) }
        return found.data
    }

    // MARK: Helpers

    private func row(_ key: String) throws -> StoredContent? {
        try core.lookUp(key).content
    }

    /// Writes in one transaction, and tells the listeners in the order of the writes.
    ///
    /// - Parameter changes: What they are told; only asked for when there are some.
    @discardableResult
    func change<Value: Sendable>(
        _ body: @Sendable (CacheSession) throws(SQLiteError) -> Value,
        telling changes: @Sendable (CacheSession, Value) -> [CacheChange] = { session, _ in session.changes }
    ) throws -> Value {
        let (value, drifts) = try core.write(body) { session, value in
            hub.send(changes(session, value))
            return (value, session.drifts)
        }
        // Outside the lock: who is told may use the cache.
        for drift in drifts { configuration.monitor?.sendAfterwards(.drifted(drift)) }
        return value
    }

    /// Encodes a value as it is to be stored, with its shape when it is the first of its type.
    ///
    /// A value in an optional is stored as the value: migrations and listings by its type are to find it.
    func encode<Value: Encodable>(
        _ value: Value,
        key: String,
        expiry: Expiry?,
        isKnown: (ObjectIdentifier) -> Bool,
        _ names: inout TypeNames
    ) throws -> EncodedContent {
        // The type is asked first, here and below: to ask the value would copy it.
        let isOptional = !names.isLastAndPlain(Value.self) && Value.self is any OptionalValue.Type
        if isOptional, let wrapped = (value as? any OptionalValue)?.wrappedValue {
            return try encode(wrapped, key: key, expiry: expiry, isKnown: isKnown, &names)
        }
        let now = configuration.now().timeIntervalSince1970
        let expiration = (expiry ?? configuration.defaultExpiry).expiration(from: now)
        let typeName = names.name(of: Value.self, isOptional: isOptional)
        if Value.self == Data.self, let data = value as? Data {
            return EncodedContent(data: data, isData: true, typeName: typeName, expiration: expiration)
        }
        do {
            let data = try configuration.coding.encoder.encode(value)
            let isFirst = checksShapes && !isKnown(ObjectIdentifier(Value.self))
            return EncodedContent(
                data: data,
                isData: false,
                typeName: typeName,
                expiration: expiration,
                firstShape: isFirst ? firstShape(of: value, content: data) : nil
            )
        } catch {
            var failure = CacheError(
                .notEncodable,
                CodingProblem(error, encoding: Value.self).text()
                    + " The value for \"\(key)\", a \(Value.self), was not stored.",
                underlying: error
            )
            failure.path = path
            failure.key = key
            failure.requestedType = String(describing: Value.self)
            throw failure
        }
    }

    /// Decodes content that was read.
    func decode<Value: Decodable>(_ type: Value.Type, _ found: StoredContent) throws -> Value {
        if found.isData {
            if let data = found.data as? Value { return data }
            throw unreadable(type, found, nil)
        }
        do {
            return try configuration.coding.decoder.decode(type, from: found.data)
        } catch {
            throw unreadable(type, found, error)
        }
    }

    private func unreadable(_ type: Any.Type, _ found: StoredContent, _ underlying: (any Error)?) -> CacheError {
        let form = found.isData ? "raw data" : "JSON text"
        let isOtherType = found.typeName != RecordTypeName.of(type)
        let advice =
            isOtherType
            ? "Read it as the type that it was written as, or add a migration that converts it."
            : "The type has another shape now, or other coders wrote it: add a migration that converts it."
        let problem = underlying.map { CodingProblem($0, decoding: type, from: Array(found.data)).text() + " " } ?? ""
        var error = CacheError(
            .unreadableContent,
            """
            \(problem)The content of "\(found.key)", \(form) that was written as \(found.typeName), cannot be read as \(type). \
            \(advice) It was not changed.
            """,
            underlying: underlying
        )
        error.path = path
        error.key = found.key
        error.storedType = found.typeName
        error.requestedType = String(describing: type)
        return error
    }
}

/// An optional of any type.
private protocol OptionalValue {
    var wrappedValue: (any Encodable)? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedValue: (any Encodable)? {
        // A cast of nil to an existential would wrap it once more.
        if case .some(let value) = self { value as? any Encodable } else { nil }
    }
}
