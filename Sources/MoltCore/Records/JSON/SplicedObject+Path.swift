extension SplicedObject {
    /// Why a path leads nowhere.
    enum PathFailure: Error {
        /// No property there; the path up to and with the missing name.
        case missing([String])
        /// A property that is not an object stands in the way; the path up to it.
        case notAnObject([String])
        /// The bytes are not JSON text.
        case malformed(JSONSyntaxError)
    }

    /// Lends the object that holds the last name of a path, and writes its changes back into this one.
    ///
    /// - Parameter createsParents: Whether missing objects on the way are added.
    mutating func edit<R>(
        _ path: ArraySlice<String>,
        createsParents: Bool = false,
        _ body: (inout SplicedObject, _ name: String) throws -> R
    ) throws -> R {
        guard let name = path.first else { throw PathFailure.missing([]) }
        if path.count == 1 { return try body(&self, name) }
        var child: SplicedObject
        if let index = lastIndex(of: name) {
            child = try self.child(at: index, path: Array(path.prefix(1)))
        } else if createsParents {
            child = SplicedObject(bytes: Array("{}".utf8))
            try Self.read(&child)
        } else {
            throw PathFailure.missing(Array(path.prefix(1)))
        }
        let before = child.revision
        let result: R
        do {
            result = try child.edit(path.dropFirst(), createsParents: createsParents, body)
        } catch PathFailure.missing(let rest) {
            throw PathFailure.missing([name] + rest)
        } catch PathFailure.notAnObject(let rest) {
            throw PathFailure.notAnObject([name] + rest)
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
        // The content was checked when it was read, so what throws is a value that is no object: it has no properties.
        guard let child = try? child(at: index, path: []) else { return nil }
        return try child.withValue(at: path.dropFirst(), body)
    }

    private func child(at index: Int, path: [String]) throws -> SplicedObject {
        var child = SplicedObject(bytes: withValue(at: index) { Array($0) })
        try Self.read(&child)
        guard child.kind == .object else { throw PathFailure.notAnObject(path) }
        return child
    }

    private static func read(_ object: inout SplicedObject) throws {
        do throws(JSONSyntaxError) {
            try object.read()
        } catch {
            throw PathFailure.malformed(error)
        }
    }
}
