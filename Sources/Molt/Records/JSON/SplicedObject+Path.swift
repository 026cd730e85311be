extension SplicedObject {
    /// A value on the path of a new property that is neither an object nor null.
    struct Obstacle: Error {
        var path: [String]
    }

    /// Passes the object that contains the last name of a path to a closure, and writes its changes back.
    ///
    /// - Parameter createsParents: Whether missing or null objects on the path are created.
    /// - Returns: nil when there is no such object.
    /// - Throws: ``Obstacle`` when an object cannot be created because of another value.
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
            // These bytes are valid.
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

    /// Passes the bytes of the value at a path to a closure; returns nil when there is none.
    func withValue<R>(
        at path: ArraySlice<String>,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> R
    ) rethrows -> R? {
        guard let name = path.first, let index = lastIndex(of: name) else { return nil }
        if path.count == 1 { return try withValue(at: index, body) }
        return try child(at: index)?.withValue(at: path.dropFirst(), body)
    }

    /// The object that is the value of a property; nil for other kinds.
    func child(at index: Int) -> SplicedObject? {
        var child = SplicedObject(bytes: withValue(at: index) { Array($0) })
        // The content was checked when it was read, so this never throws.
        try? child.read()
        return child.kind == .object ? child : nil
    }
}
