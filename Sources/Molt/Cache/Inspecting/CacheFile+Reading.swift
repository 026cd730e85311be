import Foundation

/// What tools read in a file: nothing is written, and an app may have the file open.
extension CacheFile {
    /// The records of one type.
    package struct TypeSummary {
        package let name: String
        package let count: Int
        /// The total size of the contents, in bytes.
        package let byteCount: Int
        /// The lowest and the highest version that a record was last written at.
        package let versions: ClosedRange<Int>
    }

    static let pageSize = 500
    /// The size of the contents, in bytes, after which a page ends.
    static let pageByteCount = 2 << 20

    package func state() throws -> StoreState {
        try StoreFile.state(at: url)
    }

    /// Checks that there is a cache.
    ///
    /// - Throws: ``MoltError`` with the code `fileMissing` if there is none, or that of a file that is not one.
    package func checkExists() throws {
        if try state().isFresh { throw MoltError.noCache(at: path) }
    }

    /// The types that have records, by name.
    package func types() throws -> [TypeSummary] {
        return try look { connection throws(SQLiteError) in
            var types: [TypeSummary] = []
            try connection.prepare(.summaryOfTypes).eachRow { row throws(SQLiteError) in
                let lowest = Int(clamping: row.integer(3))
                types.append(
                    TypeSummary(
                        name: row.text(0),
                        count: Int(clamping: row.integer(1)),
                        byteCount: Int(clamping: row.integer(2)),
                        versions: lowest...max(lowest, Int(clamping: row.integer(4)))
                    )
                )
            }
            return types
        }
    }

    package func recordCount() throws -> Int {
        try look { connection throws(SQLiteError) in try connection.recordCount() }
    }

    /// The record under a key, as it is stored; nil if there is none.
    package func record(forKey key: String) throws -> StoreContents.StoredRecord? {
        try look { connection throws(SQLiteError) in
            try connection.prepare(.storedByKey, key)
                .first { row throws(SQLiteError) in try StoreContents.DatedRecord(row).stored }
        }
    }

    /// Passes all records to a closure, in the order of their ids.
    ///
    /// Records are read in pages, each in a snapshot of its own, so that memory stays flat. A record that an app writes
    /// meanwhile may be in its old or its new form.
    package func eachRecord(ofType type: String? = nil, _ body: (StoreContents.DatedRecord) throws -> Void) throws {
        var last = Int64.min
        while true {
            let page = try look { connection throws(SQLiteError) in
                try connection.prepare(.storedPage, last, type, Self.pageSize)
                    .map { row throws(SQLiteError) in
                        (id: row.integer(0), record: try StoreContents.DatedRecord(row))
                    }
            }
            for (_, record) in page { try body(record) }
            guard let end = page.last?.id, page.count == Self.pageSize else { return }
            last = end
        }
    }

    package func quarantinedCount() throws -> Int {
        try look { connection throws(SQLiteError) in try connection.quarantinedCount() }
    }

    package func isQuarantined(key: String) throws -> Bool {
        try look { connection throws(SQLiteError) in
            try QuarantineTable(of: connection)?.hasRecord(forKey: key) ?? false
        }
    }

    /// The records in quarantine, in the order in which they were quarantined.
    package func quarantined() throws -> [CodableCache.QuarantinedRecord] {
        try look { connection throws(SQLiteError) in try connection.quarantined() }
    }

    func look<Found>(_ body: (Connection) throws(SQLiteError) -> Found) throws -> Found {
        try Self.look(path, body)
    }

    /// Runs a closure on one snapshot of a cache file.
    ///
    /// - Throws: ``MoltError`` with the code `fileMissing` if there is no cache, or that of a file that is not one.
    static func look<Found>(
        _ path: String,
        _ body: (Connection) throws(SQLiteError) -> Found
    ) throws(MoltError) -> Found {
        if let found = try FileProbe.look(path, body) { return found }
        throw MoltError.noCache(at: path)
    }
}

extension CacheFile {
    /// The records in the order of the bytes of their keys.
    package var inKeyOrder: KeyOrder { KeyOrder(self) }

    /// Reads records one after the other, in the order of the bytes of their keys.
    ///
    /// As with ``eachRecord(ofType:_:)``, each page is read in a snapshot of its own, so that memory stays flat. It
    /// trusts the index of the keys; one in the wrong order is an error.
    package struct KeyOrder {
        package typealias KeyedRecord = (key: [UInt8], record: StoreContents.StoredRecord)

        private let file: CacheFile
        private var page: ArraySlice<KeyedRecord> = []
        /// The key of the last record that was read; nil before the first page.
        private var last: [UInt8]?
        private var isAtEnd = false

        fileprivate init(_ file: CacheFile) {
            self.file = file
        }

        /// The next record, with the bytes of its key as they are stored; nil at the end.
        package mutating func next() throws -> KeyedRecord? {
            if page.isEmpty, !isAtEnd { try readPage() }
            return page.popFirst()
        }

        private mutating func readPage() throws {
            var previous = last
            let found = try file.look { connection throws(SQLiteError) in
                let statement = try connection.prepare(previous == nil ? .storedInKeyOrder : .storedAfterKey)
                if let previous { try statement.bind(previous, at: 1) }
                defer { statement.reset() }
                var page: [KeyedRecord] = []
                var byteCount = 0
                while page.count < pageSize, byteCount < pageByteCount, try statement.step() {
                    let record = try StoreContents.DatedRecord(statement).stored
                    let entry = (key: Array(statement.bytes(1)), record: record)
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
            Result { () throws(SQLiteError) in try bind(copying: bytes, as: .text, at: index) }
        }
        try outcome.get()
    }
}
