extension SplicedObject {
    /// What stands in the way of a new property: the path up to a property that is neither an object nor null.
    struct Obstacle: Error {
        var path: [String]
    }

    /// Lends the object that holds the last name of a path, and writes its changes back into this one.
    ///
    /// - Parameter createsParents: Whether objects on the way are added where there is nothing or null.
    /// - Returns: nil when there is no such object.
    /// - Throws: ``Obstacle`` when objects are to be added and something else is there.
    mutating func edit<R>(
        _ path: ArraySlice<String>,
        createsParents: Bool = false,
        _ body: (inout SplicedObject, _ name: String) throws -> R
    ) throws -> R? {
        guard let name = path.first else { return nil }
        if path.count == 1 { return try body(&self, name) }
        let index = lastIndex(of: name)
        var child: SplicedObject
        if let found = index.flatMap(child(at:)) {
            child = found
        } else if !createsParents {
            return nil
        } else if let index, !withValue(at: index, { $0.elementsEqual("null".utf8) }) {
            throw Obstacle(path: [name])
        } else {
            child = SplicedObject(bytes: Array("{}".utf8))
            // These bytes can be read.
            try? child.read()
        }
        let before = child.revision
        let result: R?
        do {
            result = try child.edit(path.dropFirst(), createsParents: createsParents, body)
        } catch let obstacle as Obstacle {
            throw Obstacle(path: [name] + obstacle.path)
        }
        if child.revision != before {
            var bytes: [UInt8] = []
            child.write(to: &bytes)
            set(name, to: bytes)
        }
        return result
    }

    /// Lends the bytes of the value at a path; nil when there is none.
    func withValue<R>(
        at path: ArraySlice<String>,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> R
    ) rethrows -> R? {
        guard let name = path.first, let index = lastIndex(of: name) else { return nil }
        if path.count == 1 { return try withValue(at: index, body) }
        return try child(at: index)?.withValue(at: path.dropFirst(), body)
    }

    /// The object that is the value of a property; nil when the value is something else.
    func child(at index: Int) -> SplicedObject? {
        var child = SplicedObject(bytes: withValue(at: index) { Array($0) })
        // The content was checked when it was read, so nothing is thrown.
        try? child.read()
        return child.kind == .object ? child : nil
    }
}
