extension Record {
    /// Moves a property within the record; its value stays byte for byte the same.
    ///
    /// ```swift
    /// try person.move("street", to: ["address", "street"])
    /// ```
    ///
    /// The rules are those of ``MigrationStep/moveProperty(_:_:to:ifMissing:creatingObjects:onConflict:)``.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - newPath: Its new path; missing or null objects on it are created for a value.
    ///   - createsObjects: Whether they are created for null and beside an enum's case, too; by default they are not.
    ///   - conflict: The policy if there is another value at the new path.
    /// - Throws: ``MoltError`` with the code `propertyMissing`; `propertyExists` when there is another value at the
    ///   new path; `typeMismatch` when the new path leads through another kind of value, or into the property itself,
    ///   or when an object would be created beside an enum's case.
    public mutating func move(
        _ path: PropertyPath,
        to newPath: PropertyPath,
        creatingObjects createsObjects: Bool = false,
        onConflict conflict: ConflictPolicy<RecordValue> = .fail
    ) throws {
        let policy = try MissingPolicy(property: requirement(of: [path, newPath]), createsObjects: createsObjects)
        try move(path, to: newPath, policy, onConflict: conflict)
    }

    /// Copies a property within the record, byte for byte.
    ///
    /// The rules are those of ``MigrationStep/copyProperty(_:_:to:ifMissing:creatingObjects:onConflict:)``.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - newPath: The path of the copy; missing or null objects on it are created for a value.
    ///   - createsObjects: Whether they are created for null and beside an enum's case, too; by default they are not.
    ///   - conflict: The policy if there is another value at the new path.
    /// - Throws: ``MoltError`` with the code `propertyMissing`; `propertyExists` when there is another value at the
    ///   new path; `typeMismatch` when the new path leads through another kind of value, or into the property itself,
    ///   or when an object would be created beside an enum's case.
    public mutating func copy(
        _ path: PropertyPath,
        to newPath: PropertyPath,
        creatingObjects createsObjects: Bool = false,
        onConflict conflict: ConflictPolicy<RecordValue> = .fail
    ) throws {
        let policy = try MissingPolicy(property: requirement(of: [path, newPath]), createsObjects: createsObjects)
        try copy(path, to: newPath, policy, onConflict: conflict)
    }

    mutating func move(
        _ path: PropertyPath,
        to newPath: PropertyPath,
        _ policy: MissingPolicy,
        onConflict conflict: ConflictPolicy<RecordValue>
    ) throws {
        try changeRecordOrElements(at: [path, newPath], ifMissing: policy.property) { record, paths in
            if paths[0] == paths[1] { return record.contains(paths[0]) }
            guard try record.copyIfPresent(paths[0], to: paths[1], moving: true, policy, conflict) else { return false }
            // A value that has taken the place of the object that it was in is there no more.
            if !paths[0].starts(with: paths[1]) { try record.remove(paths[0], ifMissing: .skip) }
            return true
        }
    }

    mutating func copy(
        _ path: PropertyPath,
        to newPath: PropertyPath,
        _ policy: MissingPolicy,
        onConflict conflict: ConflictPolicy<RecordValue>
    ) throws {
        try changeRecordOrElements(at: [path, newPath], ifMissing: policy.property) { record, paths in
            try record.copyIfPresent(paths[0], to: paths[1], moving: false, policy, conflict)
        }
    }

    /// Copies a property if it exists, unless it is null and has no object to be put in; returns whether it exists.
    private mutating func copyIfPresent(
        _ path: PropertyPath,
        to newPath: PropertyPath,
        moving isMoved: Bool,
        _ policy: MissingPolicy,
        _ conflict: ConflictPolicy<RecordValue>
    ) throws -> Bool {
        let verb = isMoved ? "moved" : "copied"
        guard var value = withValue(at: path, { Array($0) }) else { return false }
        if newPath.starts(with: path) {
            throw error(
                .typeMismatch,
                "The property \"\(full(path))\" cannot be \(verb) into itself, to \"\(full(newPath))\".",
                property: path
            )
        }
        if contains(newPath) {
            let resolved = try resolve(
                value,
                at: newPath,
                conflict,
                orThrow: error(
                    .propertyExists,
                    "The property \"\(full(path))\" cannot be \(verb) to \"\(full(newPath))\": the \(noun) has another "
                        + "value there already.",
                    advice: ConflictPolicy<RecordValue>.advice,
                    property: newPath
                )
            )
            guard let resolved else { return true }
            value = resolved
        }
        let depth = full(newPath).count
        if let syntax = value.withUnsafeBufferPointer({ JSONScanner.fault(in: $0, depth: depth) }) {
            throw tooDeep(newPath, syntax)
        }
        let isNull = value.elementsEqual("null".utf8)
        if try policy.createsObjects || hasRoom(at: newPath, forNull: isNull, leaving: isMoved ? path : nil) {
            try put(value, at: newPath)
        }
        return true
    }
}

extension Record {
    /// The places at which a string is split.
    ///
    /// A separator at the beginning or end of the string, or of what is left of it, stays part of the text: a part is
    /// never empty. Joining the parts therefore gives the same string again.
    public enum Separator: Equatable, Sendable {
        /// Splits at the first separators; the last part keeps the rest.
        case first(String)
        /// Splits at the last separators; the first part keeps the rest.
        case last(String)

        var text: String {
            switch self {
            case .first(let text), .last(let text): text
            }
        }
    }

    /// Splits a string property into several.
    ///
    /// ```swift
    /// try person.split("fullName", into: ["firstName", "lastName"])
    /// ```
    ///
    /// The rules are those of ``MigrationStep/splitProperty(_:_:at:into:missing:ifMissing:creatingObjects:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`; `typeMismatch` when the value is neither a string
    ///   nor null, or when an object would be created beside an enum's case; `propertyExists` when there is a property
    ///   at a new path. The record is unchanged then.
    public mutating func split(
        _ path: PropertyPath,
        at separator: Separator = .first(" "),
        into newPaths: [PropertyPath],
        missing: RecordValue = "",
        creatingObjects createsObjects: Bool = false
    ) throws {
        guard let missing = missing.json(within: newPaths) else { throw tooDeep(newPaths.first) }
        if let fault = Self.splitFault(newPaths, at: separator) { throw error(.typeMismatch, fault, property: path) }
        let paths = [path] + newPaths
        let policy = try MissingPolicy(property: requirement(of: paths), createsObjects: createsObjects)
        try split(paths, at: separator, missing: missing, policy)
    }

    /// Joins string properties into one.
    ///
    /// ```swift
    /// try person.join(["firstName", "lastName"], into: "fullName")
    /// ```
    ///
    /// The rules are those of ``MigrationStep/joinProperties(_:_:into:separator:ifMissing:creatingObjects:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing` when all are missing; `typeMismatch` when a value is
    ///   neither a string nor null, or when an object would be created beside an enum's case; `propertyExists` when
    ///   there is a property at the new path. The record is unchanged then.
    public mutating func join(
        _ paths: [PropertyPath],
        into newPath: PropertyPath,
        separator: String = " ",
        creatingObjects createsObjects: Bool = false
    ) throws {
        if let fault = Self.joinFault(paths) { throw error(.typeMismatch, fault, property: newPath) }
        let policy = try MissingPolicy(property: requirement(of: paths + [newPath]), createsObjects: createsObjects)
        try join(paths, into: newPath, separator: separator, policy)
    }

    // MARK: For steps

    /// Why a string cannot be split in this way, in a sentence.
    static func splitFault(_ newPaths: [PropertyPath], at separator: Separator) -> String? {
        if newPaths.count < 2 { return "A string must be split into at least two properties." }
        if separator.text.isEmpty { return "The separator is empty." }
        return overlap(newPaths)
    }

    /// Why strings cannot be joined in this way, in a sentence.
    static func joinFault(_ paths: [PropertyPath]) -> String? {
        paths.count < 2 ? "At least two properties must be joined." : overlap(paths)
    }

    private static func overlap(_ paths: [PropertyPath]) -> String? {
        for (index, path) in paths.enumerated() where path.count > 0 {
            for other in paths[..<index] where other.count > 0 {
                if path == other { return "The property \(path) is named twice." }
                if path.starts(with: other) || other.starts(with: path) {
                    return "One of the properties \(other) and \(path) is inside the other."
                }
            }
        }
        return nil
    }

    /// - Parameters:
    ///   - paths: The path of the property, then those of the parts.
    ///   - missing: The JSON for the properties without a part.
    mutating func split(
        _ paths: [PropertyPath],
        at separator: Separator,
        missing: [UInt8],
        _ policy: MissingPolicy
    ) throws {
        try changeRecordOrElements(at: paths, ifMissing: policy.property) { record, paths in
            try record.splitIfPresent(paths[0], at: separator, into: paths.dropFirst(), missing, policy)
        }
    }

    mutating func join(
        _ paths: [PropertyPath],
        into newPath: PropertyPath,
        separator: String,
        _ policy: MissingPolicy
    ) throws {
        try changeRecordOrElements(at: paths + [newPath], ifMissing: policy.property) { record, paths in
            try record.joinIfPresent(Array(paths.dropLast()), into: paths[paths.count - 1], separator, policy)
        }
    }

    /// Splits a property if it exists; returns whether it did.
    private mutating func splitIfPresent(
        _ path: PropertyPath,
        at separator: Separator,
        into newPaths: ArraySlice<PropertyPath>,
        _ missing: [UInt8],
        _ policy: MissingPolicy
    ) throws -> Bool {
        guard let value = withValue(at: path, { Array($0) }) else { return false }
        let isNull = value.first == 0x6E
        guard isNull || value.first == 0x22 else { throw notText(value, path, "split") }
        var keepsPath = false
        for newPath in newPaths where contains(newPath) {
            guard newPath.starts(with: path) else {
                throw isTaken(newPath, "A part of \"\(full(path))\" cannot be put at")
            }
            keepsPath = keepsPath || newPath == path
        }
        var newPaths = newPaths
        if newPaths.contains(where: { $0.onlyName == nil }) {
            // Before the first part is put, so that an object for one part does not look like a case to another.
            newPaths = try newPaths.filter { newPath in
                // In place of the string, there is an object then.
                if newPath.starts(with: path) { return !isNull || policy.createsObjects || newPath == path }
                return try policy.createsObjects || hasRoom(at: newPath, forNull: isNull)
            }
        }
        let text = isNull ? nil : SplitText(value, separator, newPaths.count)
        try changing(newPaths) { record in
            if !keepsPath { try record.remove(path, ifMissing: .skip) }
            var index = 0
            for newPath in newPaths {
                try record.put(at: newPath, isNew: !keepsPath) { bytes in
                    guard let text else { return bytes.append(contentsOf: value) }
                    if index < text.parts.count {
                        text.write(index, to: &bytes)
                    } else {
                        bytes.append(contentsOf: missing)
                    }
                }
                index += 1
            }
        }
        return true
    }

    /// Joins properties if one of them exists; returns whether one did.
    private mutating func joinIfPresent(
        _ paths: [PropertyPath],
        into newPath: PropertyPath,
        _ separator: String,
        _ policy: MissingPolicy
    ) throws -> Bool {
        var between: [UInt8] = []
        JSONString.write(separator, to: &between)
        var joined: [UInt8] = [0x22]
        var isPresent = false
        var isString = false
        for path in paths {
            try withValue(at: path) { value in
                isPresent = true
                if value.elementsEqual("null".utf8) { return }
                guard value.first == 0x22 else { throw notText(Array(value), path, "joined") }
                isString = true
                guard value.count > 2 else { return }
                if joined.count > 1 { joined += between.dropFirst().dropLast() }
                joined += value.dropFirst().dropLast()
            }
        }
        guard isPresent else { return false }
        joined.append(0x22)
        if !paths.contains(newPath), contains(newPath) { throw isTaken(newPath, "Properties cannot be joined to") }
        // In place of one of the strings, there may be an object with all of them.
        let replaces = paths.contains { newPath.starts(with: $0) }
        let canPut =
            try policy.createsObjects
            || (replaces ? isString || paths.contains(newPath) : hasRoom(at: newPath, forNull: !isString))
        try changing([newPath]) { record in
            for path in paths where path != newPath { try record.remove(path, ifMissing: .skip) }
            if canPut { try record.put(isString ? joined : Array("null".utf8), at: newPath) }
        }
        return true
    }

    /// Makes several changes, or none if one of them fails.
    private mutating func changing(_ paths: some Sequence<PropertyPath>, _ body: (inout Record) throws -> Void) throws {
        // A property at the top of an object can always be set, so no copy is needed.
        guard paths.contains(where: { $0.onlyName == nil }) else { return try body(&self) }
        let before = self
        do {
            try body(&self)
        } catch {
            self = before
            throw error
        }
    }

    private func notText(_ value: [UInt8], _ path: PropertyPath, _ verb: String) -> MoltError {
        let kind = value.withUnsafeBufferPointer { RecordValue(checked: $0).kind }
        return error(
            .typeMismatch,
            "The property \"\(full(path))\" is \(kind) and not a string, so it cannot be \(verb).",
            property: path
        )
    }

    private func isTaken(_ path: PropertyPath, _ start: String) -> MoltError {
        error(
            .propertyExists,
            "\(start) \"\(full(path))\": the \(noun) has a property there already.",
            advice: "Choose another name, or remove that property in an earlier step.",
            property: path
        )
    }
}

/// The parts of a string.
private struct SplitText {
    private let isEscaped: Bool
    /// The string's UTF-8; with its quotes unless it was escaped.
    private let text: [UInt8]
    /// The ranges of the parts in the text; at most as many as asked for.
    private(set) var parts: [Range<Int>] = []

    init(_ value: [UInt8], _ separator: Record.Separator, _ count: Int) {
        isEscaped = value.contains(0x5C)
        if isEscaped {
            text = value.withUnsafeBufferPointer { value in
                JSONString.unescaped(UnsafeBufferPointer(rebasing: value[1..<value.count - 1]))
            }
        } else {
            text = value
        }
        var rest = isEscaped ? 0..<text.count : 1..<text.count - 1
        parts.reserveCapacity(count)
        var pattern = separator.text
        pattern.withUTF8 { pattern in
            switch separator {
            case .first:
                while parts.count < count - 1, let offset = firstOffset(of: pattern, in: rest) {
                    parts.append(rest.lowerBound..<offset)
                    rest = offset + pattern.count..<rest.upperBound
                }
                parts.append(rest)
            case .last:
                while parts.count < count - 1, let offset = lastOffset(of: pattern, in: rest) {
                    parts.append(offset + pattern.count..<rest.upperBound)
                    rest = rest.lowerBound..<offset
                }
                parts.append(rest)
                parts.reverse()
            }
        }
    }

    /// Appends a part as JSON.
    func write(_ index: Int, to bytes: inout [UInt8]) {
        let part = parts[index]
        if isEscaped { return JSONString.write(String(decoding: text[part], as: UTF8.self), to: &bytes) }
        text.withUnsafeBufferPointer {
            JSONString.write(unescaped: UnsafeBufferPointer(rebasing: $0[part]), to: &bytes)
        }
    }

    /// The first place of a separator with text on both sides.
    private func firstOffset(of pattern: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int? {
        offsets(of: pattern, in: range)?.first { text.has(pattern, at: $0) }
    }

    private func lastOffset(of pattern: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int? {
        offsets(of: pattern, in: range)?.last { text.has(pattern, at: $0) }
    }

    private func offsets(of pattern: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Range<Int>? {
        let (start, end) = (range.lowerBound + 1, range.upperBound - pattern.count)
        return start < end ? start..<end : nil
    }
}
