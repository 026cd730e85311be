extension SplicedObject {
    /// Appends the text with its changes.
    func write(to output: inout [UInt8]) {
        bytes.withUnsafeBufferPointer { source in
            guard !isUnchanged else {
                return output.append(contentsOf: UnsafeBufferPointer(rebasing: source[0..<contentEnd]))
            }
            edits.withUnsafeBufferPointer { edited in
                entries.withEntries { write(source, edited, $0, to: &output) }
            }
        }
    }

    private func write(
        _ source: UnsafeBufferPointer<UInt8>,
        _ edited: UnsafeBufferPointer<UInt8>,
        _ entries: UnsafeBufferPointer<Entry>,
        to output: inout [UInt8]
    ) {
        // Each byte of the text, each change, and a comma and a colon for each added property.
        var mostCount = contentEnd
        for index in entries.indices where !entries[index].changes.isEmpty {
            mostCount += entries[index].name.count + entries[index].value.count + 2
        }
        let count = output.count + mostCount
        // Grow exponentially, or the next record would copy everything again.
        if count > output.capacity { output.reserveCapacity(max(count, 2 * output.capacity)) }
        // Do not capture `self` in the closure, which would retain all of its arrays.
        let text = UnsafeBufferPointer(rebasing: source[..<contentEnd])
        let (sourceCount, keepsSpace) = (sourceCount, sourceCount > 0 && !hasBecomeEmpty)
        output.append(upTo: mostCount) { buffer in
            var writer = Writer(source: text, edited: edited, output: buffer)
            writer.write(entries, sourceCount: sourceCount, keepsSpace: keepsSpace)
            return writer.count
        }
    }
}

/// Assembles an object or an array; adjacent parts of the source are copied together.
private struct Writer {
    let source: UnsafeBufferPointer<UInt8>
    let edited: UnsafeBufferPointer<UInt8>
    let output: UnsafeMutableBufferPointer<UInt8>
    var count = 0
    /// The pending range of the source.
    private var start = 0
    private var end = 0

    init(
        source: UnsafeBufferPointer<UInt8>,
        edited: UnsafeBufferPointer<UInt8>,
        output: UnsafeMutableBufferPointer<UInt8>
    ) {
        self.source = source
        self.edited = edited
        self.output = output
    }

    /// Writes the object or array.
    ///
    /// - Parameters:
    ///   - sourceCount: The number of properties in the source; added ones follow them.
    ///   - keepsSpace: Whether to keep the white space inside the brackets.
    mutating func write(
        _ entries: UnsafeBufferPointer<SplicedObject.Entry>,
        sourceCount: Int,
        keepsSpace: Bool
    ) {
        var open = 0
        while source[open] <= 0x20 { open += 1 }
        keep(0, keepsSpace ? Int(entries[0].sourceName.start) : open + 1)
        var isFirst = true
        for index in entries.indices {
            if entries[index].changes.isEmpty, !isFirst, end == Int(entries[index - 1].sourceValue.end) {
                // Includes everything between the two.
                end = Int(entries[index].sourceValue.end)
                continue
            }
            let entry = entries[index]
            if entry.changes.contains(.removed) { continue }
            let isAdded = entry.changes.contains(.added)
            if !isFirst {
                if isAdded {
                    put(0x2C)
                } else {
                    keep(Int(entries[index - 1].sourceValue.end), Int(entry.sourceName.start))
                }
            }
            isFirst = false
            if entry.changes.contains(.named) { put(entry.name) } else { keep(entry.sourceName) }
            if isAdded { put(0x3A) } else { keep(Int(entry.sourceName.end), Int(entry.sourceValue.start)) }
            if entry.changes.contains(.valued) { put(entry.value) } else { keep(entry.sourceValue) }
        }
        if keepsSpace {
            keep(Int(entries[sourceCount - 1].sourceValue.end), source.count)
        } else {
            var close = source.count - 1
            while source[close] <= 0x20 { close -= 1 }
            keep(close, source.count)
        }
        flush()
    }

    /// Copies a range of the source.
    @inline(__always)
    private mutating func keep(_ from: Int, _ to: Int) {
        if end != from {
            flush()
            start = from
        }
        end = to
    }

    @inline(__always)
    private mutating func keep(_ slice: SplicedObject.Slice) {
        keep(Int(slice.start), Int(slice.end))
    }

    private mutating func put(_ edit: SplicedObject.Slice) {
        flush()
        start = end
        copy(edited, edit.range)
    }

    private mutating func put(_ byte: UInt8) {
        flush()
        start = end
        output[count] = byte
        count += 1
    }

    /// Copies the pending range.
    private mutating func flush() {
        copy(source, start..<end)
    }

    @inline(__always)
    private mutating func copy(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(output)[count...])
            .copyMemory(from: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range])))
        count += range.count
    }
}
