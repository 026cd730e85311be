/// Changes of properties, stored separately from the original bytes.
extension SplicedObject {
    /// Sets a property's value, or appends the property.
    mutating func set(_ name: String, to value: [UInt8]) {
        set(name) { $0.append(contentsOf: value) }
    }

    /// Sets a property to a value that a closure appends to the edits, or appends the property.
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
        if let index = lastIndex(of: name) { set(index, toEdit: value) } else { append(name, edit: value) }
    }

    /// Appends a property whose name must not exist yet, with a value that a closure appends to the edits.
    @inline(__always)
    mutating func append(_ name: String, writing body: (inout [UInt8]) -> Void) {
        let start = edits.count
        body(&edits)
        append(name, edit: Slice(start, edits.count))
    }

    private mutating func append(_ name: String, edit value: Slice) {
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
        isUnchanged = false
        revision += 1
    }

    /// Sets the value of a property or element.
    mutating func set(_ index: Int, writing body: (inout [UInt8]) -> Void) {
        let start = edits.count
        body(&edits)
        set(index, toEdit: Slice(start, edits.count))
    }

    private mutating func set(_ index: Int, toEdit value: Slice) {
        guard !isValue(at: index, sameAs: value) else {
            edits.removeSubrange(Int(value.start)...)
            return
        }
        entries[index].value = value
        entries[index].changes.insert(.valued)
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

    /// Removes all properties with a name; returns whether there was one.
    mutating func remove(_ name: String) -> Bool {
        var end = entries.count
        var removed = false
        while let index = lastIndex(of: name, before: end) {
            remove(index)
            removed = true
            end = index
        }
        return removed
    }

    /// Removes a property or element.
    mutating func remove(_ index: Int) {
        entries[index].changes.insert(.removed)
        liveCount -= 1
        isUnchanged = false
        revision += 1
        if liveCount == 0 { hasBecomeEmpty = true }
    }

    enum Renaming {
        case done
        case missing
        /// The new name is in use; nothing was changed.
        case exists
    }

    /// Renames all properties with a name, unless the new name is in use.
    mutating func rename(_ name: String, to newName: String) -> Renaming {
        guard var index = lastIndex(of: name) else { return .missing }
        if RecordValue.Object.isSame(name, newName) { return .done }
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
