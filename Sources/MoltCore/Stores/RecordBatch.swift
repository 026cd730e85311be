/// A reusable run of records: its buffers are kept from batch to batch, so a pass allocates nothing per record.
package final class RecordBatch {
    // Kept apart from what others read: of a stored property that is public, each access is checked for another one at
    // that time.
    private var filled = 0

    /// How many records a batch can hold.
    package var capacity: Int { records.count }
    /// As many as the batch was made for; those of this batch are the first ``count``.
    ///
    /// Memory of the batch's own and no array: each access to a class's array is checked for another one at that time.
    private let records: UnsafeMutableBufferPointer<Record>
    /// How many records the batch holds now.
    package var count: Int { filled }
    /// How many bytes of content and keys the batch may hold: with one record more at most.
    private static let byteLimit = 2 << 20
    private var byteCount = 0

    /// A record of the batch; the index is below ``count``.
    package subscript(index: Int) -> Record {
        get {
            precondition(index >= 0 && index < count, "A batch of \(count) records has none at \(index).")
            return records[index]
        }
        _modify {
            precondition(index >= 0 && index < count, "A batch of \(count) records has none at \(index).")
            yield &records[index]
        }
    }

    /// Creates an empty batch.
    package init(capacity: Int, coding: RecordCoding) {
        records = .allocate(capacity: capacity)
        records.initialize(repeating: Record(coding: coding))
    }

    deinit {
        records.deinitialize()
        records.deallocate()
    }

    /// Lends the records of the batch, to be changed where they are.
    package func withRecords<R>(_ body: (UnsafeMutableBufferPointer<Record>) throws -> R) rethrows -> R {
        try body(UnsafeMutableBufferPointer(rebasing: records[..<count]))
    }

    /// Gives each part of the batch coders of its own, for parts that go through their steps at once.
    func divideCoding(among parts: Int) {
        let parts = min(parts, records.count)
        guard parts > 1, let coding = records.first?.coding else { return }
        for part in 0..<parts {
            let own = coding.copy()
            for index in (records.count * part / parts)..<(records.count * (part + 1) / parts) {
                records[index].coding = own
            }
        }
    }

    /// Empties the batch and keeps its buffers.
    package func removeAll() {
        filled = 0
        byteCount = 0
    }

    /// Whether the batch is to take no further record: so many are in it as can be, or 2 MiB of content.
    package var isFull: Bool {
        filled == records.count || byteCount >= Self.byteLimit
    }

    /// Adds a record, given as the store holds it; the bytes are copied.
    ///
    /// - Parameters:
    ///   - id: The record's id in its store.
    ///   - typeName: The type name that the record was written as.
    ///   - key: The key, as UTF-8.
    ///   - content: JSON text as UTF-8, or raw data.
    ///   - isData: Whether the content is raw data.
    ///   - expiration: Seconds since 1970 at which the record expires; nil for never.
    package func append(
        id: Int64,
        typeName: String,
        key: UnsafeRawBufferPointer,
        content: UnsafeRawBufferPointer,
        isData: Bool,
        expiration: Double?
    ) {
        guard filled < records.count else { return }
        records[filled].load(
            id: id,
            typeName: typeName,
            key: key,
            content: content,
            isData: isData,
            expiration: expiration
        )
        filled += 1
        byteCount += content.count + key.count
    }
}
