/// Changes of properties, kept beside the bytes.
extension SplicedObject {
    /// Gives a property another value, or adds it behind the others.
    mutating func set(_ name: String, to value: [UInt8]) {
        set(name) { $0.append(contentsOf: value) }
    }

    /// Gives a property the value that a closure writes behind the other changes, or adds it behind the others.
    @inline(__always)
    mutating func set<Failure: Error>(
        _ name: String,
        writing body: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let start = edits.count
        do throws(Failure) {
            try body(&edits)
        } catch {
            edits.removeSubrange(start...)
            throw error
        }
        set(name, toEdit: Slice(start, edits.count))
    }

    private mutating func set(_ name: String, toEdit value: Slice) {
        if let index = lastIndex(of: name) {
            guard !isValue(at: index, sameAs: value) else {
                edits.removeSubrange(Int(value.start)...)
                return
            }
            entries[index].value = value
            entries[index].changes.insert(.valued)
        } else {
            let nameSlice = append(name: name)
            entries.append(
                Entry(
                    name: nameSlice.slice,
                    value: value,
                    nameHasEscapes: nameSlice.hasEscapes,
                    changes: [.named, .valued, .added]
                )
            )
            liveCount += 1
        }
        isUnchanged = false
        revision += 1
    }

    private func isValue(at index: Int, sameAs value: Slice) -> Bool {
        guard entries[index].value.count == value.count else { return false }
        return withValue(at: index) { old in
            edits.withUnsafeBufferPointer { edits in
                old.elementsEqual(UnsafeBufferPointer(rebasing: edits[value.range]))
            }
        }
    }

    /// Removes all properties with a name.
    ///
    /// - Returns: Whether there was one.
    mutating func remove(_ name: String) -> Bool {
        var end = entries.count
        var removed = false
        while let index = lastIndex(of: name, before: end) {
            entries[index].changes.insert(.removed)
            liveCount -= 1
            removed = true
            end = index
        }
        guard removed else { return false }
        isUnchanged = false
        revision += 1
        if liveCount == 0 { hasBecomeEmpty = true }
        return true
    }

    /// What became of a property that was to have another name.
    enum Renaming {
        /// All of the old name have the new one.
        case done
        /// There is none with the old name.
        case missing
        /// There is one with the new name already, and nothing was changed.
        case exists
    }

    /// Renames all properties with a name, unless that would make two of one name.
    mutating func rename(_ name: String, to newName: String) -> Renaming {
        guard var index = lastIndex(of: name) else { return .missing }
        if RecordObject.isSame(name, newName) { return .done }
        if lastIndex(of: newName) != nil { return .exists }
        let text = append(name: newName)
        while true {
            entries[index].name = text.slice
            entries[index].nameHasEscapes = text.hasEscapes
            entries[index].changes.insert(.named)
            guard let next = lastIndex(of: name, before: index) else { break }
            index = next
        }
        isUnchanged = false
        revision += 1
        return .done
    }

    private mutating func append(name: String) -> (slice: Slice, hasEscapes: Bool) {
        let start = edits.count
        JSONString.write(name, to: &edits)
        let hasEscapes = edits.count - start - 2 != name.utf8.count
        return (Slice(start, edits.count), hasEscapes)
    }
}
