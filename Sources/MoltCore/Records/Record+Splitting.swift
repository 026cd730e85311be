extension Record {
    /// The places at which a string is split.
    ///
    /// A separator at the beginning or end of the string, or of what is left of it, stays part of the text: a part is
    /// never empty. Joining the parts therefore gives the same string again.
    public enum Separator: Hashable, Sendable, Codable {
        /// The first places: what follows the last of them stays together.
        case first(String)
        /// The last places: what precedes the first of them stays together.
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
    /// "Ada King Lovelace" becomes "Ada" and "King Lovelace"; with `at: .last(" ")`, "Ada King" and "Lovelace". A string
    /// with fewer parts fills the first of the properties. If the property is null, all new ones are null.
    ///
    /// - Parameters:
    ///   - path: The path of the property, which is removed unless it is among the new ones.
    ///   - separator: Where to split; by default at the first spaces.
    ///   - newPaths: The paths of the parts, in their order; missing or null objects on them are created.
    ///   - missing: The value of the properties for which there is no part; by default an empty string.
    /// - Throws: ``MigrationError`` with the code `propertyMissing`; `typeMismatch` when the value is neither a string
    ///   nor null; `propertyExists` when there is a property at a new path. The record is unchanged then.
    public mutating func split(
        _ path: PropertyPath,
        at separator: Separator = .first(" "),
        into newPaths: [PropertyPath],
        missing: RecordValue = ""
    ) throws {
        let missing = try encoded(missing, newPaths)
        try split(path, at: separator, into: newPaths, missing: missing, ifMissing: .fail)
    }

    /// Joins string properties to one, in their order.
    ///
    /// ```swift
    /// try person.join(["firstName", "lastName"], into: "fullName")
    /// ```
    ///
    /// Missing, null and empty strings are left out, together with their separator. If all are null or missing, the
    /// result is null.
    ///
    /// - Parameters:
    ///   - paths: The paths of the properties, which are removed.
    ///   - newPath: The path of the result, which may be one of them; missing or null objects on it are created.
    ///   - separator: The text between the parts; by default a space.
    /// - Throws: ``MigrationError`` with the code `propertyMissing` when all are missing; `typeMismatch` when a value is
    ///   neither a string nor null; `propertyExists` when there is a property at the new path. The record is unchanged
    ///   then.
    public mutating func join(
        _ paths: [PropertyPath],
        into newPath: PropertyPath,
        separator: String = " "
    ) throws {
        try join(paths, into: newPath, separator: separator, ifMissing: .fail)
    }

    // MARK: For steps

    /// - Parameter missing: The JSON for the properties without a part.
    package mutating func split(
        _ path: PropertyPath,
        at separator: Separator,
        into newPaths: [PropertyPath],
        missing: [UInt8],
        ifMissing: MigrationStep.MissingProperty
    ) throws {
        try change([path] + newPaths, ifMissing: ifMissing) { record, paths in
            try record.splitIfPresent(paths[0], at: separator, into: Array(paths.dropFirst()), missing: missing)
        }
    }

    package mutating func join(
        _ paths: [PropertyPath],
        into newPath: PropertyPath,
        separator: String,
        ifMissing: MigrationStep.MissingProperty
    ) throws {
        try change(paths + [newPath], ifMissing: ifMissing) { record, paths in
            try record.joinIfPresent(Array(paths.dropLast()), into: paths[paths.count - 1], separator: separator)
        }
    }

    /// Splits a property if it exists; returns whether it did.
    private mutating func splitIfPresent(
        _ path: PropertyPath,
        at separator: Separator,
        into newPaths: [PropertyPath],
        missing: [UInt8]
    ) throws -> Bool {
        guard let value = withValue(at: path, { Array($0) }) else { return false }
        let parts: [ArraySlice<UInt8>]
        if value.elementsEqual("null".utf8) {
            parts = newPaths.map { _ in value[...] }
        } else {
            guard value.first == 0x22 else { throw notText(value, path, "split") }
            parts = Self.parts(of: value, separator, newPaths.count)
        }
        for newPath in newPaths where newPath != path && !newPath.starts(with: path) && contains(newPath) {
            throw isTaken(newPath, "put a part of \"\(full(path))\" at")
        }
        try changing(newPaths) { record in
            if !newPaths.contains(path) { try record.remove(path, ifMissing: .skip) }
            for (index, newPath) in newPaths.enumerated() {
                try record.put(index < parts.count ? Array(parts[index]) : missing, at: newPath)
            }
        }
        return true
    }

    /// Joins properties if one of them exists; returns whether one did.
    private mutating func joinIfPresent(
        _ paths: [PropertyPath],
        into newPath: PropertyPath,
        separator: String
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
        if !paths.contains(newPath), contains(newPath) { throw isTaken(newPath, "join properties to") }
        try changing([newPath]) { record in
            for path in paths where path != newPath { try record.remove(path, ifMissing: .skip) }
            try record.put(isString ? joined : Array("null".utf8), at: newPath)
        }
        return true
    }

    /// Makes several changes, or none if one of them fails.
    private mutating func changing(_ paths: [PropertyPath], _ body: (inout Record) throws -> Void) throws {
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

    private func encoded(_ value: RecordValue, _ paths: [PropertyPath]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(JSONSyntaxError) {
            try value.write(to: &bytes, depth: paths.map(\.count).max() ?? 0)
        } catch {
            throw tooDeep(paths.first, error)
        }
        return bytes
    }

    private func notText(_ value: [UInt8], _ path: PropertyPath, _ verb: String) -> MigrationError {
        let kind = value.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { RecordValue(checked: $0, from: 0, to: bytes.count).kind } ?? "empty"
        }
        return error(
            .typeMismatch,
            "The property \"\(full(path))\" is \(kind) and not a string, so it cannot be \(verb).",
            property: path
        )
    }

    private func isTaken(_ path: PropertyPath, _ verb: String) -> MigrationError {
        error(
            .propertyExists,
            "Cannot \(verb) \"\(full(path))\": the record has a property there already. Remove it first.",
            property: path
        )
    }

    // MARK: Text

    /// The parts of a JSON string, as JSON strings; at most as many as asked for.
    static func parts(of value: [UInt8], _ separator: Separator, _ count: Int) -> [ArraySlice<UInt8>] {
        let pattern = Array(separator.text.utf8)
        let isEscaped = value.contains(0x5C)
        let text: [UInt8]
        if isEscaped {
            text = value.withUnsafeBufferPointer { value in
                JSONString.unescaped(UnsafeBufferPointer(rebasing: value[1..<value.count - 1]))
            }
        } else {
            text = value
        }
        let whole = isEscaped ? 0..<text.count : 1..<text.count - 1
        let ranges =
            switch separator {
            case .first: firstRanges(text, whole, pattern, count)
            case .last: lastRanges(text, whole, pattern, count)
            }
        return ranges.map { range in
            var part: [UInt8] = []
            if isEscaped {
                JSONString.write(String(decoding: text[range], as: UTF8.self), to: &part)
            } else {
                part.reserveCapacity(range.count + 2)
                part.append(0x22)
                part += text[range]
                part.append(0x22)
            }
            return part[...]
        }
    }

    private static func firstRanges(
        _ text: [UInt8],
        _ whole: Range<Int>,
        _ pattern: [UInt8],
        _ count: Int
    ) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = whole.lowerBound
        while ranges.count < count - 1 {
            let places = start + 1..<max(start + 1, whole.upperBound - pattern.count)
            guard let place = places.first(where: { text[$0...].starts(with: pattern) }) else { break }
            ranges.append(start..<place)
            start = place + pattern.count
        }
        return ranges + [start..<whole.upperBound]
    }

    private static func lastRanges(
        _ text: [UInt8],
        _ whole: Range<Int>,
        _ pattern: [UInt8],
        _ count: Int
    ) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var end = whole.upperBound
        while ranges.count < count - 1 {
            let places = whole.lowerBound + 1..<max(whole.lowerBound + 1, end - pattern.count)
            guard let place = places.last(where: { text[$0...].starts(with: pattern) }) else { break }
            ranges.insert(place + pattern.count..<end, at: 0)
            end = place
        }
        return [whole.lowerBound..<end] + ranges
    }
}
