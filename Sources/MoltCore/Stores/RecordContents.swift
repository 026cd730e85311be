/// New contents of several records, to be written together.
public struct RecordContents: Sendable {
    /// The content of one record.
    public struct Row: Sendable {
        /// The record.
        public var id: Int64
        /// The version that the record is at now.
        public var version: Int
        /// Whether the content is raw data, and not JSON text.
        public var isData: Bool
        /// Which of the buffers the content is in.
        public var buffer: Int
        /// Where in that buffer.
        public var range: Range<Int>

        /// Creates a row.
        public init(id: Int64, version: Int, isData: Bool, buffer: Int, range: Range<Int>) {
            self.id = id
            self.version = version
            self.isData = isData
            self.buffer = buffer
            self.range = range
        }
    }

    /// The records, in the order of their ids.
    public var rows: [Row]
    /// The bytes of the contents.
    public var buffers: [[UInt8]]

    /// Creates contents.
    public init(rows: [Row], buffers: [[UInt8]]) {
        self.rows = rows
        self.buffers = buffers
    }

    /// Lends the content of a row.
    public func withContent<R, Failure: Error>(
        of row: Row,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> R
    ) throws(Failure) -> R {
        try buffers[row.buffer].withUnsafeBufferPointer { buffer throws(Failure) in
            try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[row.range])))
        }
    }
}
