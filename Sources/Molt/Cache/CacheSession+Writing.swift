internal import Foundation

extension CacheSession {
    /// Writes content under a key.
    func set(_ key: String, _ content: EncodedContent) throws(SQLiteError) {
        if let first = content.firstShape { try compareShape(first, of: content.typeName) }
        changedKeys.insert(key)
        self.key = key
        let form = RowForm(
            type: try typeID(content.typeName),
            isData: content.isData,
            expiration: content.expiration
        )
        defer { unbind() }
        var bytes = key
        let outcome = bytes.withUTF8 { key in
            content.data.withUnsafeBytes { content in
                Result { () throws(SQLiteError) in try put(UnsafeRawBufferPointer(key), content, form) }
            }
        }
        try outcome.get()
        changes.append(CodableCache.Change(key: key, typeName: content.typeName, kind: .set))
        try evictIfTooLarge(key, content.data.count)
    }

    /// Applies the changes of a batch, in order.
    ///
    /// - Returns: Whether ``changes`` lists them; otherwise the batch itself lists all changes.
    func apply(_ batch: EncodedBatch) throws(SQLiteError) -> Bool {
        let listsChanges = !batch.isOnlySetting || uses != nil
        var types: [Int64?] = Array(repeating: nil, count: batch.forms.count)
        for chunk in batch.chunks {
            // The bindings point into the chunk.
            defer { unbind() }
            try chunk.bytes.withUnsafeBufferPointer { bytes throws(SQLiteError) in
                var rest = UnsafeRawBufferPointer(bytes)[...]
                for row in chunk.rows {
                    let key = UnsafeRawBufferPointer(rebasing: rest.prefix(row.keyCount))
                    rest = rest.dropFirst(row.keyCount)
                    let content = UnsafeRawBufferPointer(rebasing: rest.prefix(row.contentCount))
                    rest = rest.dropFirst(row.contentCount)
                    guard let place = row.form.map(Int.init) else {
                        _ = try remove(String(decoding: key, as: UTF8.self), as: .removed)
                        continue
                    }
                    try set(key, content, row, batch.forms[place], type: &types[place], listsChanges: listsChanges)
                }
            }
        }
        return listsChanges
    }

    private func set(
        _ key: UnsafeRawBufferPointer,
        _ content: UnsafeRawBufferPointer,
        _ row: EncodedBatch.Row,
        _ form: EncodedBatch.Form,
        type: inout Int64?,
        listsChanges: Bool
    ) throws(SQLiteError) {
        if let first = form.firstShape { try compareShape(first, of: form.typeName) }
        changedKeys.insert(String(decoding: key, as: UTF8.self))
        let id: Int64
        if let type { id = type } else { id = try typeID(form.typeName) }
        type = id
        do throws(SQLiteError) {
            let expiration = row.expiration.isNaN ? nil : row.expiration
            try put(key, content, RowForm(type: id, isData: form.isData, expiration: expiration))
        } catch {
            self.key = String(decoding: key, as: UTF8.self)
            throw error
        }
        guard listsChanges else { return }
        let key = String(decoding: key, as: UTF8.self)
        changes.append(CodableCache.Change(key: key, typeName: form.typeName, kind: .set))
        try evictIfTooLarge(key, content.count)
    }

    /// The columns of a row beside its key and its content.
    private struct RowForm {
        let type: Int64
        let isData: Bool
        let expiration: Double?
    }

    /// Writes content under a key; the caller keeps both in place until ``unbind()``.
    private func put(
        _ key: UnsafeRawBufferPointer,
        _ content: UnsafeRawBufferPointer,
        _ form: RowForm
    ) throws(SQLiteError) {
        if let size {
            let old = try statements[.oldSize]
            try old.bind(copying: key, isText: true, at: 1)
            self.size = size &+ Int64(content.count) &- (try old.first { $0.integer(0) } ?? 0)
        }
        let statement = try statements[.set]
        try statement.bind(now, at: 1)
        try statement.bind(inPlace: key, isText: true, at: 2)
        try statement.bind(form.type, at: 3)
        try statement.bind(Int64(version), at: 4)
        try statement.bind(form.expiration, at: 5)
        try statement.bind(inPlace: content, isText: !form.isData, at: 6)
        try statement.bind(useTime(), at: 7)
        try statement.run()
    }

    /// Clears the bindings of the key and the content that were written last.
    private func unbind() {
        // A statement that could not be prepared has no bindings.
        guard let statement = try? statements[.set] else { return }
        statement.unbind(2)
        statement.unbind(6)
    }

    /// Evicts a value that exceeds the limit by itself; as the most recently used, it would go last.
    private func evictIfTooLarge(_ key: String, _ count: Int) throws(SQLiteError) {
        if let limit = uses?.sizeLimit, count > limit { _ = try remove(key, as: .evicted) }
    }

    func typeID(_ name: String) throws(SQLiteError) -> Int64 {
        // Strings equal in canonical form are one dictionary key, but two type names.
        if let last = lastType, ExactName.isSame(last.name, name) { return last.id }
        let search = try statements[.typeID]
        try search.bind(name, at: 1)
        if let id = try search.first({ $0.integer(0) }) {
            lastType = (name, id)
            return id
        }
        let insertion = try statements[.addType]
        try insertion.bind(name, at: 1)
        try insertion.run()
        let id = connection.lastInsertedID
        lastType = (name, id)
        return id
    }
}
