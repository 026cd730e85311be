extension [UInt8] {
    /// Appends the bytes that a closure writes to a buffer.
    ///
    /// - Parameters:
    ///   - limit: The size of the buffer.
    ///   - body: Fills the buffer, and returns the number of bytes written.
    @inline(__always)
    mutating func append(upTo limit: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        #if compiler(>=6.3)
            append(addingCapacity: limit) { span in
                span.withUnsafeMutableBufferPointer { buffer, count in count = body(buffer) }
            }
        #else
            // Swift 6.2 cannot give access to uninitialized capacity.
            let start = count
            append(contentsOf: repeatElement(0, count: limit))
            let written = withUnsafeMutableBufferPointer { body(UnsafeMutableBufferPointer(rebasing: $0[start...])) }
            if written < limit { removeLast(limit - written) }
        #endif
    }
}
