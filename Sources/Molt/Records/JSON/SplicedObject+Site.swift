extension SplicedObject {
    /// What is at the path of a new property.
    enum Site: Equatable {
        /// There is a value already.
        case value(isNull: Bool)
        /// The object that it belongs in is there, without the property.
        case free
        /// An object on the path is missing or null.
        ///
        /// - Parameters:
        ///   - depth: The number of objects above it, without the outermost one.
        ///   - isNull: Whether it is null.
        case noObject(depth: Int, isNull: Bool)
        /// The path leads through a value that is neither an object nor null.
        case obstacle
    }

    /// What is at the path of a new property; the text must be an object.
    func site(of path: ArraySlice<PropertyPath.Part>) -> Site {
        var object = self
        for (depth, part) in path.enumerated() {
            let index = object.lastIndex(of: part.text)
            let isNull = index.map { object.withValue(at: $0) { $0.elementsEqual("null".utf8) } }
            if depth == path.count - 1 { return isNull.map { .value(isNull: $0) } ?? .free }
            guard let index, isNull == false else { return .noObject(depth: depth, isNull: index != nil) }
            guard let child = object.child(at: index) else { return .obstacle }
            object = child
        }
        return .free
    }

    /// Whether an object has one property alone, whose value is an object: Codable writes an enum with associated
    /// values so.
    func looksLikeCase(at path: ArraySlice<PropertyPath.Part>) -> Bool {
        if let part = path.first {
            return lastIndex(of: part.text).flatMap(child)?.looksLikeCase(at: path.dropFirst()) == true
        }
        let names = names
        guard let name = names.first, names.allSatisfy({ ExactName.isSame($0, name) }) else { return false }
        return lastIndex(of: name).flatMap(child) != nil
    }
}
