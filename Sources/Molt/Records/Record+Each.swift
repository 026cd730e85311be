/// The elements of arrays and dictionaries, for paths with ``PropertyPath/each``.
extension Record {
    /// Changes each element at a path as a record of its own; the path of its whole content is empty.
    ///
    /// An element that the closure drops is removed. Elements that do not fulfil their conditions are left out. If the
    /// closure throws, nothing is changed.
    ///
    /// - Returns: False if there is a value at the path that has no elements, because it is neither an array nor an
    ///   object nor null.
    // Compiled once, and not again for each closure.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    mutating func changeEachElement<Failure: Error>(
        of path: PropertyPath,
        _ body: (inout Record) throws(Failure) -> Void
    ) throws -> Bool {
        guard var elements = RecordElements(of: self, at: path) else {
            // What has no elements has none for which a condition holds.
            return elementConditions != nil || hasNoElements(at: path)
        }
        for index in 0..<elements.count {
            elements.load(index)
            guard elements.conditions.allSatisfy({ $0.holds(for: elements.element) }) else { continue }
            do {
                try body(&elements.element)
            } catch var error as MoltError {
                error.key = key
                throw error
            }
            elements.store(index)
        }
        if let bytes = elements.changed {
            if path.count == 0 { replaceChecked(bytes) } else { try put(bytes, at: path) }
        }
        return true
    }

    /// Passes an array of the values at a path in each element to a closure; elements without one are left out.
    ///
    /// - Returns: nil if the value at the outer path is neither an array nor an object.
    func withValues<R>(
        at path: PropertyPath,
        inEachOf outer: PropertyPath,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> R
    ) rethrows -> R? {
        try values(at: path, inEachOf: outer)?.withUnsafeBufferPointer(body)
    }

    /// Whether one of the elements at a path has a property.
    func containsElement(with path: PropertyPath, at outer: PropertyPath) -> Bool {
        guard let elements = elements(at: outer) else { return false }
        var element = element(at: outer)
        return (0..<elements.members.count).contains { index in
            elements.withValue(at: index) { element.loadElement($0) }
            return element.contains(path)
        }
    }

    private func values(at path: PropertyPath, inEachOf outer: PropertyPath) -> [UInt8]? {
        guard let elements = elements(at: outer) else { return nil }
        var element = element(at: outer)
        var values: [UInt8] = [0x5B]
        for index in 0..<elements.members.count {
            elements.withValue(at: index) { element.loadElement($0) }
            element.withValue(at: path) { value in
                if values.count > 1 { values.append(0x2C) }
                values += value
            }
        }
        values.append(0x5D)
        return values
    }

    /// Applies a change in each element, if a path leads through elements; returns whether it does.
    ///
    /// - Parameter ifMissing: The policy for a value that has no elements.
    @inline(__always)
    mutating func changeElements(
        at path: PropertyPath,
        ifMissing: Record.MissingProperty = .fail,
        _ body: (inout Record, _ inner: PropertyPath) throws -> Void
    ) throws -> Bool {
        guard let (outer, inner) = path.atFirstEach else { return false }
        if try !changeEachElement(of: outer, { try body(&$0, inner) }), ifMissing == .fail { throw missing(path) }
        return true
    }

    /// Applies a change at several paths: once in this record, or in each element if they contain `each`.
    ///
    /// - Parameters:
    ///   - paths: The paths; for a missing property, the error names the first one.
    ///   - ifMissing: The policy where the closure returns false.
    @inline(__always)
    mutating func changeRecordOrElements(
        at paths: [PropertyPath],
        ifMissing: MissingProperty,
        _ body: (inout Record, [PropertyPath]) throws -> Bool
    ) throws {
        if paths.contains(where: { $0.hasEach }) { return try changeElements(paths, ifMissing: ifMissing, body) }
        if try !body(&self, paths), ifMissing == .fail { throw missing(paths.first ?? []) }
    }

    private mutating func changeElements(
        _ paths: [PropertyPath],
        ifMissing: MissingProperty,
        _ body: (inout Record, [PropertyPath]) throws -> Bool
    ) throws {
        let (outer, inner) = try atFirstEach(paths)
        let isPresent = try changeEachElement(of: outer) { element in
            try element.changeRecordOrElements(at: inner, ifMissing: ifMissing, body)
        }
        if !isPresent, ifMissing == .fail { throw missing(paths.first ?? []) }
    }

    /// Splits paths that lead through the same elements at their first `each`.
    private func atFirstEach(_ paths: [PropertyPath]) throws -> (outer: PropertyPath, inner: [PropertyPath]) {
        let first = paths.first ?? []
        guard let outer = first.atFirstEach?.outer, paths.allSatisfy({ $0.hasSameElements(as: first) }) else {
            throw error(
                .typeMismatch,
                "The paths \(paths.map { "\"\(full($0))\"" }.joined(separator: ", ")) do not lead through the same elements.",
                property: first
            )
        }
        return (outer, paths.compactMap { $0.atFirstEach?.inner })
    }

    /// Whether the value that should have elements is missing or null.
    func hasNoElements(at path: PropertyPath) -> Bool {
        path.count > 0 && withValue(at: path) { $0.elementsEqual("null".utf8) } ?? true
    }

    /// A path in the whole record, for messages.
    func full(_ path: PropertyPath) -> PropertyPath {
        elementPath.map { $0 + path } ?? path
    }

    func elements(at path: PropertyPath) -> SplicedObject? {
        guard !isData else { return nil }
        var elements =
            path.count == 0
            ? withContent { SplicedObject(bytes: Array($0)) }
            : withValue(at: path) { SplicedObject(bytes: Array($0)) }
        // The content was checked when it was read, so this never throws.
        try? elements?.read(includesArrays: true)
        return elements?.kind == .other ? nil : elements
    }

    fileprivate func element(at path: PropertyPath) -> Record {
        var element = Record(coding: coding, typeName: typeName)
        element.elementPath = full(path + .each)
        element.isSetting = isSetting
        return element
    }
}

/// The elements of a value of a record, one of which is loaded as a record of its own.
private struct RecordElements {
    var element: Record
    /// What must hold for an element that is changed.
    let conditions: [RecordCondition]
    private var elements: SplicedObject
    /// The names of an object's elements, if the elements are asked for theirs.
    private let names: [String]
    private let outerNames: [String]?

    init?(of record: Record, at path: PropertyPath) {
        guard let elements = record.elements(at: path) else { return nil }
        self.elements = elements
        element = record.element(at: path)
        outerNames = record.elementNames
        names = outerNames != nil && elements.kind == .object ? elements.names : []
        let all = record.elementConditions?.compactMap { $0.inElements(of: path) } ?? []
        conditions = all.filter { !$0.path.hasEach }
        if conditions.count < all.count { element.elementConditions = all.filter(\.path.hasEach) }
    }

    var count: Int { elements.members.count }

    mutating func load(_ index: Int) {
        elements.withValue(at: index) { element.loadElement($0) }
        if let outerNames { element.elementNames = outerNames + [names.isEmpty ? String(index) : names[index]] }
    }

    /// Stores or removes the loaded element if it was changed or dropped.
    mutating func store(_ index: Int) {
        if element.isDropped {
            elements.remove(index)
        } else if element.revision > 0 {
            elements.set(index) { element.writeContent(to: &$0) }
        }
    }

    /// The value with its changes; nil if no element was changed.
    var changed: [UInt8]? {
        guard elements.revision > 0 else { return nil }
        var bytes: [UInt8] = []
        elements.write(to: &bytes)
        return bytes
    }
}
