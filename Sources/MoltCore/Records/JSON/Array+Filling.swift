extension [UInt8] {
    /// Appends what a closure writes to memory that it is lent.
    ///
    /// - Parameters:
    ///   - limit: How many bytes it may write.
    ///   - body: Says how many it has written.
    @inline(__always)
    mutating func append(upTo limit: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        #if compiler(>=6.3)
            append(addingCapacity: limit) { span in
                span.withUnsafeMutableBufferPointer { buffer, count in count = body(buffer) }
            }
        #else
            // Swift 6.2 lends an array no memory that nothing was written to.
            let start = count
            append(contentsOf: repeatElement(0, count: limit))
            let written = withUnsafeMutableBufferPointer { body(UnsafeMutableBufferPointer(rebasing: $0[start...])) }
            if written < limit { removeLast(limit - written) }
        #endif
    }
}
