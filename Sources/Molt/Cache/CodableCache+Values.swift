public import Foundation

extension CodableCache {
    // MARK: Setting

    /// Stores a value under a key, replacing any previous value.
    ///
    /// `Data` is stored as raw data, everything else as JSON text. An optional is stored as its wrapped value, under
    /// that type's name; nil is stored as `null`; it does not remove the key.
    ///
    /// - Parameters:
    ///   - value: The value; its type's name is stored with it.
    ///   - key: The key.
    ///   - expiry: When the value expires; by default as configured.
    /// - Throws: ``MoltError`` with the code `notEncodable`, `tooLarge`, `closed`, `busy`, `fileReplaced` or
    ///   `storeFailed`; ``MoltError`` with the code `storeChanged` or, see ``MoltConfiguration/mismatches``,
    ///   `schemaDrift`.
    public func set<Value: Encodable>(_ value: Value, forKey key: String, expiry: Expiry? = nil) throws {
        // The lock is not held while the app's own code encodes.
        var names = lastTypeName.withLock { $0 }
        let before = names.lastType
        let content = try encode(value, key: key, expiry: expiry, isKnown: knownTypes.contains, &names)
        if names.lastType != before { lastTypeName.withLock { [names] last in last = names } }
        try change { session throws(SQLiteError) in try session.set(key, content) }
    }

    /// Removes the value under a key.
    ///
    /// - Returns: Whether there was a value that had not expired.
    @discardableResult
    public func remove(forKey key: String) throws -> Bool {
        try change { session throws(SQLiteError) in try session.remove(key, as: .removed) }
    }

    // MARK: Reading

    /// The value under a key; nil when there is none or it has expired.
    ///
    /// The value may have been stored as another type, as long as this one can decode it. Recently read values are kept
    /// in memory, except for class instances, which can be mutated.
    ///
    /// - Throws: ``MoltError`` with the code `unreadableContent`, naming the stored type, when the content is damaged
    ///   or has another shape; the stored bytes are kept. ``MoltError`` with the code `closed`, `busy` or
    ///   `storeFailed`; ``MoltError`` with the code `storeChanged`.
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

    /// The value under a key, for types that are not `Sendable`; nil when there is none or it has expired.
    ///
    /// Values of such types are never kept in memory.
    ///
    /// - Throws: The errors of ``value(_:forKey:)-(_,String)`` for types that are `Sendable`.
    public func value<Value: Decodable>(_ type: Value.Type = Value.self, forKey key: String) throws -> Value? {
        try uncached(type, forKey: key)
    }

    private func uncached<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
        guard let found = try row(key) else { return nil }
        return try decode(type, found)
    }

    /// The value under a key with its dates, size, expiry and type name; nil when there is none.
    ///
    /// - Throws: The errors of reading the value.
    public func entry<Value: Decodable>(_ type: Value.Type = Value.self, forKey key: String) throws -> Entry<Value>? {
        let row = try core.read { session throws(SQLiteError) in
            try session.content(key).map { found throws(SQLiteError) in
                (found, dates: try session.dates(id: found.id))
            }
        }
        guard let (stored, dates) = row else { return nil }
        let found = try upgraded(stored)
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

    /// Whether there is a live value under a key; the call neither reads the value nor counts as a use.
    public func contains(_ key: String) throws -> Bool {
        try typeName(forKey: key) != nil
    }

    /// The stored type name of the value under a key; nil when there is none.
    public func typeName(forKey key: String) throws -> String? {
        try core.read { session throws(SQLiteError) in try session.typeName(key) }
    }

    // MARK: Raw data

    /// Stores raw data under a key, replacing any previous value.
    ///
    /// - Throws: The errors of ``set(_:forKey:expiry:)``.
    public func setData(_ data: Data, forKey key: String, expiry: Expiry? = nil) throws {
        try set(data, forKey: key, expiry: expiry)
    }

    /// The raw data under a key; nil when there is none or it has expired.
    ///
    /// - Throws: ``MoltError`` with the code `unreadableContent` when the content is not raw data.
    public func data(forKey key: String) throws -> Data? {
        guard let found = try row(key).map(upgraded) else { return nil }
        guard found.isData else { throw unreadable(Data.self, found, nil) }
        return found.data
    }

    // MARK: Helpers

    private func row(_ key: String) throws -> StoredContent? {
        try core.lookUp(key).content
    }

    /// Writes in one transaction, and notifies the listeners in the order of the writes.
    ///
    /// - Parameter changes: Called only when there are listeners.
    @discardableResult
    func change<Value: Sendable>(
        _ body: @Sendable (CacheSession) throws(SQLiteError) -> Value,
        telling changes: @Sendable (CacheSession, Value) -> [CodableCache.Change] = { session, _ in session.changes }
    ) throws -> Value {
        let (value, drifts) = try core.write(body) { session, value in
            hub.send(changes(session, value))
            return (value, session.drifts)
        }
        // Outside the lock: the monitor may use the cache.
        for drift in drifts { configuration.monitor?.sendAfterwards(.drifted(drift)) }
        return value
    }

    /// Encodes a value for storage; the first of its type comes with its shape.
    ///
    /// An optional is stored as its wrapped value, so that migrations and listings by type find it.
    func encode<Value: Encodable>(
        _ value: Value,
        key: String,
        expiry: Expiry?,
        isKnown: (ObjectIdentifier) -> Bool,
        _ names: inout TypeNames
    ) throws -> EncodedContent {
        // Checking the type first, here and below, avoids a copy of the value.
        let isOptional = !names.isCachedNonOptional(Value.self) && Value.self is any OptionalValue.Type
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
            let data = try coding.encoder.encode(value)
            let isFirst = checksShapes && !isKnown(ObjectIdentifier(Value.self))
            return EncodedContent(
                data: data,
                isData: false,
                typeName: typeName,
                expiration: expiration,
                firstShape: isFirst ? firstShape(of: value, content: data) : nil
            )
        } catch {
            throw MoltError(
                .notEncodable,
                CodingProblem(error, encoding: Value.self).text()
                    + " The value of type \(Value.self) for \"\(key)\" was not stored.",
                store: path,
                key: key,
                requestedType: String(describing: Value.self),
                underlying: error
            )
        }
    }

    func decode<Value: Decodable>(_ type: Value.Type, _ stored: StoredContent) throws(MoltError) -> Value {
        let found = try upgraded(stored)
        if found.isData {
            if let data = found.data as? Value { return data }
            throw unreadable(type, found, nil)
        }
        do {
            return try coding.decoder.decode(type, fromStored: found.data)
        } catch {
            throw unreadable(type, found, error)
        }
    }

    private func unreadable(_ type: Any.Type, _ found: StoredContent, _ underlying: (any Error)?) -> MoltError {
        let form = found.isData ? "raw data" : "JSON text"
        let isOtherType = found.typeName != RecordTypeName.of(type)
        let advice =
            isOtherType
            ? "Read it as the type that it was written as, or add a migration that converts it."
            : "If an earlier release wrote it, the type has another shape or other coders now: add a migration that "
                + "converts it. If this release did, the type's `encode(to:)` and `init(from:)` disagree."
        let problem = underlying.map { CodingProblem($0, decoding: type, from: Array(found.data)).text() + " " } ?? ""
        return MoltError(
            .unreadableContent,
            """
            \(problem)The content of "\(found.key)", \(form) that was written as \(found.typeName), cannot be read as \(type).
            """,
            advice: advice,
            store: path,
            key: found.key,
            type: found.typeName,
            requestedType: String(describing: type),
            underlying: underlying
        )
    }
}

private protocol OptionalValue {
    var wrappedValue: (any Encodable)? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedValue: (any Encodable)? {
        // Casting nil to an existential would wrap it once more.
        if case .some(let value) = self { value as? any Encodable } else { nil }
    }
}
