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
    /// - Throws: The error of `change`, after which nothing is written; those of reading the value and of
    ///   ``set(_:forKey:expiry:)``.
    @discardableResult
    public func update<Value: Codable>(
        _ type: Value.Type = Value.self,
        forKey key: String,
        expiry: Expiry? = nil,
        _ change: (inout Value) throws -> Void
    ) throws -> Value? {
        try core.checkWritable()
        while true {
            guard let stored = try core.lookUp(key).content else { return nil }
            var value = try decode(type, stored)
            try change(&value)
            var names = TypeNames()
            var content = try encode(value, key: key, expiry: expiry, isKnown: checkedShapes.contains, &names)
            if expiry == nil { content.expiration = stored.expiration }
            content.data = addingUnknown(content.unknown, of: stored, to: content.data, content.typeName)
            var batch = EncodedBatch()
            batch.set(key, content)
            if try write(batch, over: [(key, stored.mark)]) { return value }
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
            let (merged, stored) = try addingUnknown(to: batch)
            if try write(merged, over: stored) { return }
        }
    }

    /// A key and the record under it; nil if there is none.
    private typealias StoredMark = (key: String, mark: StoredContent.Mark?)

    /// Writes a batch if some records are still as they were read.
    ///
    /// - Returns: Whether they were.
    @discardableResult
    private func write(_ batch: EncodedBatch, over stored: [StoredMark]) throws -> Bool {
        let listsChanges: Bool? = try change { session throws(SQLiteError) in
            for (key, mark) in stored {
                guard try session.content(key)?.mark == mark else { return nil }
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
    /// - Returns: The batch, and the records that were read for it.
    private func addingUnknown(to batch: EncodedBatch) throws -> (EncodedBatch, [StoredMark]) {
        var read: [StoredMark] = []
        // The batch itself replaces the stored contents of these keys.
        var replaced: Set<ExactName> = []
        let merged = try batch.replacingContents { key, content, form, unknown in
            guard let form, let unknown else {
                replaced.insert(ExactName(key))
                return content
            }
            guard !replaced.contains(ExactName(key)) else { return content }
            let stored = try core.lookUp(key).content
            read.append((key, stored?.mark))
            guard let stored else { return content }
            if !ExactName.isSame(stored.typeName, form.typeName) { replaced.insert(ExactName(key)) }
            return addingUnknown(unknown, of: stored, to: content, form.typeName)
        }
        return (merged, read)
    }

    private func addingUnknown(
        _ unknown: UnknownProperties?,
        of stored: StoredContent,
        to content: Data,
        _ typeName: String
    ) -> Data {
        // Before the migrations, it has properties that one of them renames or removes. Content that they cannot
        // convert is replaced.
        guard let unknown, let stored = try? upgraded(stored), !stored.isData,
            ExactName.isSame(stored.typeName, typeName)
        else { return content }
        return unknown.added(to: content, from: stored.data)
    }
}
