extension SplicedObject {
    /// Appends the text with the changes put in.
    func write(to output: inout [UInt8]) {
        bytes.withUnsafeBufferPointer { source in
            edits.withUnsafeBufferPointer { edited in
                if isUnchanged {
                    output.append(contentsOf: UnsafeBufferPointer(rebasing: source[0..<contentEnd]))
                } else {
                    write(source, edited, to: &output)
                }
            }
        }
    }

    private func write(
        _ source: UnsafeBufferPointer<UInt8>,
        _ edited: UnsafeBufferPointer<UInt8>,
        to output: inout [UInt8]
    ) {
        // What follows each other in the source is copied in one piece.
        var pending = 0..<0
        func flush() {
            output.append(contentsOf: UnsafeBufferPointer(rebasing: source[pending]))
        }
        func keep(_ start: Int32, _ end: Int32) {
            if pending.upperBound != Int(start) {
                flush()
                pending = Int(start)..<Int(end)
            } else {
                pending = pending.lowerBound..<Int(end)
            }
        }
        func put(_ edit: Slice) {
            flush()
            pending = 0..<0
            output.append(contentsOf: UnsafeBufferPointer(rebasing: edited[edit.range]))
        }
        func put(_ byte: UInt8) {
            flush()
            pending = 0..<0
            output.append(byte)
        }
        var open: Int32 = 0
        while source[Int(open)] != 0x7B { open += 1 }
        let end = Int32(truncatingIfNeeded: contentEnd)
        let sourceCount = entries.firstIndex { $0.isAdded } ?? entries.count
        let keepsSpace = sourceCount > 0 && !hasBecomeEmpty
        let count = output.count + contentEnd + edited.count + 2 * (entries.count - sourceCount)
        // Not just as much as is needed: the next record would have all of it copied again.
        if count > output.capacity { output.reserveCapacity(max(count, 2 * output.capacity)) }
        keep(0, keepsSpace ? entries[0].sourceName.start : open + 1)
        var isFirst = true
        for index in entries.indices {
            let entry = entries[index]
            if entry.isRemoved { continue }
            if !isFirst {
                if entry.isAdded {
                    put(0x2C)
                } else {
                    keep(entries[index - 1].sourceValue.end, entry.sourceName.start)
                }
            }
            isFirst = false
            if entry.isNameEdited {
                put(entry.name)
            } else {
                keep(entry.sourceName.start, entry.sourceName.end)
            }
            if entry.isAdded { put(0x3A) } else { keep(entry.sourceName.end, entry.sourceValue.start) }
            if entry.isValueEdited {
                put(entry.value)
            } else {
                keep(entry.sourceValue.start, entry.sourceValue.end)
            }
        }
        if keepsSpace {
            keep(entries[sourceCount - 1].sourceValue.end, end)
        } else {
            var close = end - 1
            while source[Int(close)] != 0x7D { close -= 1 }
            keep(close, end)
        }
        flush()
    }
}
