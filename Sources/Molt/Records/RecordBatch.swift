/// A reusable batch of records: its buffers are reused, so a pass allocates nothing per record.
final class RecordBatch {
    // Private, because each access to a stored property that is visible outside checks for exclusivity.
    private var filled = 0

    /// The maximum number of records.
    var capacity: Int { records.count }
    /// Memory instead of an array, because each access to an array property of a class checks for exclusivity.
    private let records: UnsafeMutableBufferPointer<Record>
    var count: Int { filled }
    var isEmpty: Bool { filled == 0 }
    /// The id of the last record; nil if the batch is empty.
    var lastID: Int64? { filled > 0 ? records[filled - 1].id : nil }
    /// The maximum number of bytes of contents and keys, which the last record may exceed.
    private static let byteLimit = 2 << 20
    private var byteCount = 0

    /// A record of the batch; the index must be below ``count``.
    subscript(index: Int) -> Record {
        get {
            precondition(index >= 0 && index < count, "A batch of \(count) records has no record at index \(index).")
            return records[index]
        }
        _modify {
            precondition(index >= 0 && index < count, "A batch of \(count) records has no record at index \(index).")
            yield &records[index]
        }
    }

    init(capacity: Int) {
        records = .allocate(capacity: capacity)
        records.initialize(repeating: Record())
    }

    deinit {
        records.deinitialize()
        records.deallocate()
    }

    /// Passes the records to a closure, which may change them in place.
    func withRecords<R>(_ body: (UnsafeMutableBufferPointer<Record>) throws -> R) rethrows -> R {
        try body(UnsafeMutableBufferPointer(rebasing: records[..<count]))
    }

    func removeAll() {
        filled = 0
        byteCount = 0
    }

    /// Whether it has reached its record limit or 2 MiB.
    var isFull: Bool {
        filled == records.count || byteCount >= Self.byteLimit
    }

    /// Adds a record in its stored form; the bytes are copied.
    ///
    /// - Parameters:
    ///   - id: The record's id in its store.
    ///   - version: The version at which the content was stored.
    func append(_ stored: LentRecord, id: Int64, typeName: String, version: Int) {
        guard filled < records.count else { return }
        records[filled].load(stored, id: id, typeName: typeName, version: version)
        filled += 1
        byteCount += stored.content.count + stored.key.count
    }
}
