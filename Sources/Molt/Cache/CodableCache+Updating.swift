internal import Foundation

extension CodableCache {
    /// Changes the value under a key; does nothing when there is none or it has expired.
    ///
    /// ```swift
    /// try cache.update(Person.self, forKey: "john") { $0.lastName = "Roe" }
    /// ```
    ///
    /// No other write comes between reading the value and writing it, by this process or another one.
    ///
    /// - Parameters:
    ///   - type: The type of the value; its name is stored with it.
    ///   - key: The key.
    ///   - expiry: When the value expires; by default as before.
    ///   - change: Changes the value. It is called again if another write came first. It may use the cache.
    /// - Returns: The value that was written; nil if there was none.
    /// - Throws: The error of `change`, after which nothing is written; those of reading the value and
    ///   of ``set(_:forKey:expiry:)``.
    @discardableResult
    public func update<Value: Codable>(
        _ type: Value.Type = Value.self,
        forKey key: String,
        expiry: Expiry? = nil,
        _ change: (inout Value) throws -> Void
    ) throws -> Value? {
        while true {
            guard let stored = try core.lookUp(key).content else { return nil }
            var value = try decode(type, stored)
            try change(&value)
            var names = TypeNames()
            var content = try encode(value, key: key, expiry: expiry, isKnown: checkedShapes.contains, &names)
            if expiry == nil { content.expiration = stored.expiration }
            var batch = EncodedBatch()
            batch.set(key, try keepingUnknown(of: stored, in: content))
            if try write(batch, over: [(key, stored.data)]) { return value }
        }
    }

    /// Writes the changes of a batch.
    func write(_ batch: EncodedBatch) throws {
        guard !batch.isEmpty else { return }
        guard batch.keepsUnknown else {
            try write(batch, over: [])
            return
        }
        while true {
            let (merged, stored) = try keepingUnknown(in: batch)
            if try write(merged, over: stored) { return }
        }
    }

    /// A key and the stored content under it; nil if there is none.
    typealias StoredData = (key: String, data: Data?)

    /// Writes a batch if some contents are still as they were read.
    ///
    /// - Returns: Whether they were.
    @discardableResult
    private func write(_ batch: EncodedBatch, over stored: [StoredData]) throws -> Bool {
        let listsChanges: Bool? = try change { session throws(SQLiteError) in
            for (key, data) in stored {
                guard try session.content(key)?.data == data else { return nil }
            }
            return try session.apply(batch)
        } telling: { session, listsChanges in
            listsChanges == false ? batch.changes : session.changes
        }
        return listsChanges != nil
    }

    // MARK: Unknown properties

    /// Adds the properties of stored contents that types do not declare to the values that a batch sets.
    ///
    /// It is done before the file is locked, because it runs code of the app.
    ///
    /// - Returns: The batch, and the contents that were read for it.
    private func keepingUnknown(in batch: EncodedBatch) throws -> (EncodedBatch, [StoredData]) {
        var read: [StoredData] = []
        var removed: Set<ExactName> = []
        let merged = try batch.replacingContents { key, content, form in
            guard let form else {
                removed.insert(ExactName(key))
                return content
            }
            guard form.unknown != nil, !removed.contains(ExactName(key)) else { return content }
            let stored = try core.lookUp(key).content
            read.append((key, stored?.data))
            guard let stored else { return content }
            return try keepingUnknown(of: stored, in: EncodedContent(content, form)).data
        }
        return (merged, read)
    }

    private func keepingUnknown(of stored: StoredContent, in content: EncodedContent) throws -> EncodedContent {
        // Before the migrations, it has properties that one of them renames or removes. Content that they cannot convert is
        // replaced.
        guard let unknown = content.unknown, let stored = try? upgraded(stored), !stored.isData,
            ExactName.isSame(stored.typeName, content.typeName)
        else { return content }
        var content = content
        content.data = unknown.added(to: content.data, from: stored.data)
        return content
    }
}

extension EncodedContent {
    fileprivate init(_ data: Data, _ form: EncodedBatch.Form) {
        self.init(data: data, isData: form.isData, typeName: form.typeName, expiration: nil, unknown: form.unknown)
    }
}
