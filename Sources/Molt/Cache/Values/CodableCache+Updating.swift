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
            var content = try encode(value, key: key, expiry: expiry, isChecked: checkedShapes.contains, &names)
            if expiry == nil { content.expiration = stored.expiration }
            #if DEBUG
                let name = try upgraded(stored).typeName
                if !ExactName.isSame(name, content.typeName) {
                    DebugWarning.print(TypeNames.warning(of: name, as: content.typeName))
                }
            #endif
            content.data = addingUnknown(content.unknown, stored, content.data, content.typeName)
            var batch = EncodedBatch()
            batch.set(key, content)
            if try write(batch, over: [(key, stored.mark)]) { return value }
        }
    }

    func write(_ batch: EncodedBatch) throws {
        guard !batch.isEmpty else { return }
        guard batch.keepsUnknown else {
            try write(batch, over: [])
            return
        }
        while true {
            var merge = BatchMerge(batch)
            for changes in batch.readChunks() {
                let stored = try contents(BatchMerge.keys(of: changes))
                merge.add(changes, stored, addingUnknown)
            }
            if try write(merge.batch, over: merge.stored) { return }
        }
    }

    /// Writes the changes of a batch; waits for the disk without blocking a thread.
    ///
    /// Values are decoded here and not on the queue, as their types may belong to the caller's actor.
    func write(_ batch: EncodedBatch) async throws {
        guard batch.keepsUnknown else { return try await queue.run { [self] in try write(batch) } }
        while true {
            var merge = BatchMerge(batch)
            for changes in batch.readChunks() {
                let keys = BatchMerge.keys(of: changes)
                let stored = try await queue.run { [self] in try contents(keys) }
                merge.add(changes, stored, addingUnknown)
            }
            let (merged, over) = (merge.batch, merge.stored)
            if try await queue.run({ [self] in try write(merged, over: over) }) { return }
        }
    }

    /// Writes a batch if some records are still as they were read.
    ///
    /// - Returns: Whether they were.
    @discardableResult
    private func write(_ batch: EncodedBatch, over stored: [BatchMerge.StoredMark]) throws -> Bool {
        let listsChanges: Bool? = try change { session in
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

    /// Writes content with the properties of the stored content that its type does not declare.
    func set(_ key: String, _ content: EncodedContent, keeping unknown: UnknownProperties) throws {
        // Whether a type declares a property is mostly known already: then one transaction is enough.
        let isWritten = try change { session in
            var content = content
            if let stored = try session.content(key), !stored.isData {
                if isOutdated(stored.version) { return false }
                if ExactName.isSame(stored.typeName, content.typeName) {
                    guard let data = unknown.addedAtOnce(to: content.data, from: stored.data) else { return false }
                    content.data = data
                }
            }
            try session.set(key, content)
            return true
        }
        guard !isWritten else { return }
        var batch = EncodedBatch()
        batch.set(key, content)
        try write(batch)
    }

    private func addingUnknown(
        _ unknown: UnknownProperties?,
        _ stored: StoredContent,
        _ content: Data,
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

/// A batch whose values get the unknown properties of the stored contents.
private struct BatchMerge {
    /// A key and the record under it; nil if there is none.
    typealias StoredMark = (key: String, mark: StoredContent.Mark?)
    typealias Change = EncodedBatch.ReadChange

    /// The merged changes.
    private(set) var batch: EncodedBatch
    /// The records that were read for it.
    private(set) var stored: [StoredMark] = []
    /// The keys whose stored contents the batch itself replaces.
    private var replaced: Set<ExactName> = []

    init(_ batch: EncodedBatch) {
        self.batch = batch.emptied()
    }

    /// The keys whose stored contents matter to some changes.
    static func keys(of changes: [Change]) -> [String] {
        changes.lazy.filter { $0.unknown != nil }.map(\.key)
    }

    /// - Parameter contents: The stored contents under the keys of the changes.
    mutating func add(
        _ changes: [Change],
        _ contents: [StoredContent?],
        _ merge: (UnknownProperties?, _ stored: StoredContent, _ content: Data, _ typeName: String) -> Data
    ) {
        var contents = contents.makeIterator()
        for change in changes {
            let key = ExactName(change.key)
            guard let form = change.form, let unknown = change.unknown else {
                replaced.insert(key)
                batch.add(change, change.content)
                continue
            }
            guard let found = contents.next(), !replaced.contains(key) else {
                batch.add(change, change.content)
                continue
            }
            stored.append((change.key, found?.mark))
            if let found, !ExactName.isSame(found.typeName, form.typeName) { replaced.insert(key) }
            batch.add(change, found.map { merge(unknown, $0, change.content, form.typeName) } ?? change.content)
        }
    }
}
