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
            if try write(batch, over: [(key, stored.mark)], isChecked: true) { return value }
        }
    }

    /// Writes the changes of a batch.
    ///
    /// - Parameter isChecked: Whether the records under its keys are looked at first; otherwise only if they have to
    ///   be.
    func write(_ batch: EncodedBatch, isChecked: Bool = false) throws {
        guard !batch.isEmpty else { return }
        do {
            guard batch.keepsUnknown || isChecked else {
                try write(batch, over: [], isChecked: false)
                return
            }
            let limit = isChecked ? configuration.unreadableValues.limit : nil
            while true {
                var merge = BatchMerge(batch, checkingWithin: limit)
                for changes in batch.readChunks() {
                    try merge.add(changes, contents(merge.keys(of: changes)), in: self)
                }
                let (merged, stored, unreadable) = (merge.batch, merge.stored, merge.unreadable)
                if try write(merged, over: stored, isChecked: isChecked, quarantining: unreadable, within: limit) {
                    if let lost = merge.overflow(at: path) { configuration.monitor?.sendAfterwards(.quarantined(lost)) }
                    return
                }
            }
        } catch is UncheckedRecord {
            try write(batch, isChecked: true)
        }
    }

    /// Writes a batch if some records are still as they were read.
    ///
    /// - Parameters:
    ///   - isChecked: Whether the records under its keys may be replaced, whatever they are.
    ///   - unreadable: Those of them that are quarantined first.
    /// - Returns: Whether they were.
    @discardableResult
    private func write(
        _ batch: EncodedBatch,
        over stored: [BatchMerge.StoredMark],
        isChecked: Bool,
        quarantining unreadable: [UnreadableRecord] = [],
        within limit: UnreadablePolicy.Limit? = nil
    ) throws -> Bool {
        let listsChanges: Bool? = try change { session in
            for (key, mark) in stored {
                guard try session.content(key)?.mark == mark else { return nil }
            }
            if let limit { try session.quarantine(unreadable, within: limit) }
            return try session.apply(batch, isChecked: isChecked)
        } telling: { session, listsChanges in
            listsChanges == false ? batch.changes : session.changes
        }
        return listsChanges != nil
    }

    // MARK: Unknown properties

    /// Writes content with the properties of the stored content that its type does not declare.
    func set(_ key: String, _ content: EncodedContent, keeping unknown: UnknownProperties) throws {
        var batch = EncodedBatch()
        batch.set(key, content)
        // Whether a type declares a property is mostly known already: then one transaction is enough.
        do {
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
            if !isWritten { try write(batch) }
        } catch is UncheckedRecord {
            try write(batch, isChecked: true)
        }
    }

    fileprivate func addingUnknown(
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

/// A batch together with the stored contents that it replaces.
///
/// Its values get the unknown properties of those, and those that their types cannot read are noted.
private struct BatchMerge {
    /// A key and the record under it; nil if there is none.
    typealias StoredMark = (key: String, mark: StoredContent.Mark?)
    typealias Change = EncodedBatch.ReadChange

    /// The merged changes.
    private(set) var batch: EncodedBatch
    /// The records that were read for it.
    private(set) var stored: [StoredMark] = []
    /// The newest unreadable ones, as many as are quarantined.
    private(set) var unreadable: [UnreadableRecord] = []
    /// Their content in bytes.
    private var size = 0
    /// The ids of all unreadable ones.
    private var noted: Set<Int64> = []
    /// How many are quarantined; nil if readable ones are not told from others.
    let limit: UnreadablePolicy.Limit?
    /// The keys whose stored contents the batch itself replaces.
    private var replaced: Set<ExactName> = []

    /// - Parameter limit: How many unreadable records are quarantined; nil if none are looked for.
    init(_ batch: EncodedBatch, checkingWithin limit: UnreadablePolicy.Limit?) {
        self.batch = batch.emptied()
        self.limit = limit
    }

    /// The error for those that are not quarantined, because there are too many; nil for none.
    func overflow(at path: String) -> MoltError? {
        let count = noted.count - unreadable.count
        guard count > 0 else { return nil }
        return MoltError(
            .unreadableContent,
            "\(count) more records that could not be read were overwritten: a cache keeps \(limit?.count ?? 0) of them.",
            advice: "Raise the limit of `MoltConfiguration.unreadableValues`.",
            store: path
        )
    }

    /// The keys whose stored contents matter to some changes.
    func keys(of changes: [Change]) -> [String] {
        changes.lazy.filter(needsStored).map(\.key)
    }

    private func needsStored(_ change: Change) -> Bool {
        change.unknown != nil || limit != nil && change.form?.type != nil
    }

    /// - Parameter contents: The stored contents under the keys of the changes.
    mutating func add(_ changes: [Change], _ contents: [StoredContent?], in cache: CodableCache) {
        var contents = contents.makeIterator()
        for change in changes {
            let key = ExactName(change.key)
            guard let form = change.form, needsStored(change) else {
                replaced.insert(key)
                batch.add(change, change.content)
                continue
            }
            guard let found = contents.next(), !replaced.contains(key) else {
                batch.add(change, change.content)
                continue
            }
            stored.append((change.key, found?.mark))
            if let found { note(found, change, form, in: cache) }
            let merged = found.map { cache.addingUnknown(change.unknown, $0, change.content, form.typeName) }
            batch.add(change, merged ?? change.content)
        }
    }

    private mutating func note(
        _ found: StoredContent,
        _ change: Change,
        _ form: EncodedBatch.Form,
        in cache: CodableCache
    ) {
        if !ExactName.isSame(found.typeName, form.typeName) { replaced.insert(ExactName(change.key)) }
        guard let limit, let type = form.type, let record = cache.unreadable(found, as: type),
            // A second value under the key replaces the first one.
            noted.insert(found.id).inserted
        else { return }
        unreadable.append(record)
        size += record.size
        guard unreadable.count > limit.count || size > limit.bytes else { return }
        unreadable = unreadable.suffix(limit.keptCount(of: unreadable.reversed().lazy.map(\.size)))
        size = unreadable.reduce(0) { $0 + $1.size }
    }
}
