/// New contents of several records, which are written together.
struct RecordContents: Sendable {
    struct Row: Sendable {
        var id: Int64
        var version: Int
        var isData: Bool
        /// The index of the buffer with the content.
        var buffer: Int
        /// The range in that buffer.
        var range: Range<Int>
    }

    /// The rows, in the order of their ids.
    var rows: [Row]
    var buffers: [[UInt8]]
}

extension RecordContents.Row {
    /// Creates the row of a record, and appends its content to a buffer.
    init(_ record: borrowing Record, version: Int, buffer: Int, writingTo bytes: inout [UInt8]) {
        let start = bytes.count
        record.writeContent(to: &bytes)
        self.init(id: record.id, version: version, isData: record.isData, buffer: buffer, range: start..<bytes.count)
    }
}
