extension CacheFile {
    /// The records in the order of the bytes of their keys.
    package var inKeyOrder: KeyOrder { KeyOrder(self) }

    /// Reads records one after the other, in the order of the bytes of their keys.
    ///
    /// As with ``eachRecord(ofType:_:)``, each page is read in a snapshot of its own, so that memory stays flat. It trusts
    /// the index of the keys; one in the wrong order is an error.
    package struct KeyOrder {
        package typealias Entry = (key: [UInt8], record: StoreContents.StoredRecord)

        private let file: CacheFile
        private var page: ArraySlice<Entry> = []
        /// The key of the last record that was read; nil before the first page.
        private var last: [UInt8]?
        private var isAtEnd = false

        fileprivate init(_ file: CacheFile) {
            self.file = file
        }

        /// The next record, with the bytes of its key as they are stored; nil at the end.
        package mutating func next() throws -> Entry? {
            if page.isEmpty, !isAtEnd { try readPage() }
            return page.popFirst()
        }

        private mutating func readPage() throws {
            var previous = last
            let found = try file.look { connection throws(SQLiteError) in
                // With one condition for both cases, SQLite would search the index from its start.
                let condition = previous == nil ? "" : "WHERE key > ?1"
                let statement = try connection.prepare("\(columns) \(condition) ORDER BY key")
                if let previous { try statement.bind(previous, at: 1) }
                defer { statement.reset() }
                var page: [Entry] = []
                var byteCount = 0
                while page.count < pageSize, byteCount < pageByteCount, try statement.step() {
                    let entry = (key: Array(statement.bytes(1)), record: record(statement))
                    if let previous, !previous.lexicographicallyPrecedes(entry.key) { throw .disorder }
                    previous = entry.key
                    byteCount += entry.record.content.count
                    page.append(entry)
                }
                return page
            }
            page = found[...]
            last = previous
            isAtEnd = found.isEmpty
        }
    }
}

extension Statement {
    /// Binds the bytes of a text, which need not be valid UTF-8.
    fileprivate func bind(_ text: [UInt8], at index: Int32) throws(SQLiteError) {
        let outcome = text.withUnsafeBytes { bytes in
            Result { () throws(SQLiteError) in try bind(copying: bytes, isText: true, at: index) }
        }
        try outcome.get()
    }
}
