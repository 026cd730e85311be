/// New contents of several records, which are written together.
package struct RecordContents: Sendable {
    package struct Row: Sendable {
        package var id: Int64
        package var version: Int
        package var isData: Bool
        /// The index of the buffer with the content.
        package var buffer: Int
        /// The range in that buffer.
        package var range: Range<Int>

        package init(id: Int64, version: Int, isData: Bool, buffer: Int, range: Range<Int>) {
            self.id = id
            self.version = version
            self.isData = isData
            self.buffer = buffer
            self.range = range
        }

        /// Creates the row of a record, and appends its content to a buffer.
        init(_ record: borrowing Record, version: Int, buffer: Int, writingTo bytes: inout [UInt8]) {
            let start = bytes.count
            record.writeContent(to: &bytes)
            self.init(
                id: record.id,
                version: version,
                isData: record.isData,
                buffer: buffer,
                range: start..<bytes.count
            )
        }
    }

    /// The rows, in the order of their ids.
    package var rows: [Row]
    package var buffers: [[UInt8]]

    package init(rows: [Row], buffers: [[UInt8]]) {
        self.rows = rows
        self.buffers = buffers
    }

    package func withContent<R, Failure: Error>(
        of row: Row,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> R
    ) throws(Failure) -> R {
        try buffers[row.buffer].withUnsafeBufferPointer { buffer throws(Failure) in
            try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[row.range])))
        }
    }
}
