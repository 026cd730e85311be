/// New contents of several records, to be written together.
package struct RecordContents: Sendable {
    /// The content of one record.
    package struct Row: Sendable {
        /// The record.
        package var id: Int64
        /// The version that the record is at now.
        package var version: Int
        /// Whether the content is raw data, and not JSON text.
        package var isData: Bool
        /// Which of the buffers the content is in.
        package var buffer: Int
        /// Where in that buffer.
        package var range: Range<Int>

        /// Creates a row.
        package init(id: Int64, version: Int, isData: Bool, buffer: Int, range: Range<Int>) {
            self.id = id
            self.version = version
            self.isData = isData
            self.buffer = buffer
            self.range = range
        }
    }

    /// The records, in the order of their ids.
    package var rows: [Row]
    /// The bytes of the contents.
    package var buffers: [[UInt8]]

    /// Creates contents.
    package init(rows: [Row], buffers: [[UInt8]]) {
        self.rows = rows
        self.buffers = buffers
    }

    /// Lends the content of a row.
    package func withContent<R, Failure: Error>(
        of row: Row,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> R
    ) throws(Failure) -> R {
        try buffers[row.buffer].withUnsafeBufferPointer { buffer throws(Failure) in
            try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[row.range])))
        }
    }
}
