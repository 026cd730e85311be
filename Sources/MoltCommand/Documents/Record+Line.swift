import Foundation
import Molt

/// Lines that are read as records.
extension Record {
    /// Loads a line, which must be an object.
    mutating func load(line text: UnsafeRawBufferPointer) throws {
        LentRecord.with("", text, isData: false, expiration: nil) { load($0, typeName: "line") }
        do {
            try read()
        } catch let error as MoltError {
            let reason = error.underlying.map { ": \($0)" } ?? ""
            throw MoltError(.malformedContent, "The line is not JSON text\(reason).")
        }
        guard isObject else { throw MoltError(.malformedContent, "The line is not a JSON object.") }
    }

    // MARK: Members

    func documentKey(at path: PropertyPath) throws -> String {
        switch scalar(at: path) {
        case .string(let key): return key
        // Many tables have integers as keys.
        case .number(let text) where !text.utf8.contains(where: { ".eE".utf8.contains($0) }): return text
        case .missing, .null: throw MoltError.missing(path, "key", option: "--key-field")
        case .number, .other: break
        }
        throw MoltError(.typeMismatch, "The key in \"\(path)\" is neither a string nor an integer.")
    }

    func documentVersion(_ member: DocumentFields.VersionMember) throws -> Int {
        let path = member.path
        switch scalar(at: path) {
        case .number(let text):
            if let version = Int(text) { return version }
        case .missing, .null:
            if let version = member.defaultVersion { return version }
            throw MoltError.missing(path, "version", option: "--version-field or --from")
        case .string, .other: break
        }
        throw MoltError(.typeMismatch, "The version in \"\(path)\" is not an integer.")
    }

    func documentType(at path: PropertyPath) throws -> String {
        switch scalar(at: path) {
        case .string(let name): return name
        case .missing, .null: throw MoltError.missing(path, "type", option: "--type-field")
        case .number, .other: throw MoltError(.typeMismatch, "The type in \"\(path)\" is not a string.")
        }
    }

    func documentExpiration(at path: PropertyPath) throws -> Date? {
        switch scalar(at: path) {
        case .missing, .null: return nil
        case .number(let text):
            if let seconds = Double(text), seconds.isFinite { return Date(timeIntervalSince1970: seconds) }
        case .string, .other: break
        }
        throw MoltError(.typeMismatch, "The expiration in \"\(path)\" is not a number of seconds.")
    }

    func isTrue(at path: PropertyPath) -> Bool {
        withValue(at: path) { $0.elementsEqual("true".utf8) } ?? false
    }

    /// Puts a document into the line.
    ///
    /// - Parameter text: The old document if it stands in a string, as a document that is a string always does; else
    ///   nil.
    mutating func put(document: Record, at path: PropertyPath, inPlaceOf text: [UInt8]?) throws {
        let isString = !document.isObject && document.withValue(at: []) { $0.first == UInt8(ascii: "\"") } ?? false
        guard text != nil || isString else {
            return try put(at: path, isNew: false) { bytes in
                let start = bytes.count
                document.writeContent(to: &bytes)
                bytes.joinLines(from: start)
            }
        }
        var json: [UInt8] = []
        document.writeContent(to: &json)
        if let text, text.withUnsafeBytes({ json.isSame(as: $0, from: 0) }) { return }
        try put(text: json, at: path)
    }
}

extension MoltError {
    static func missing(_ path: PropertyPath, _ noun: String, option: String) -> MoltError {
        MoltError(
            .propertyMissing,
            "The line has no \(noun) in \"\(path)\".",
            advice: "Name the member that has it with \(option)."
        )
    }
}

extension [UInt8] {
    /// Makes one line of JSON text, in which line breaks can only be white space between tokens.
    mutating func joinLines(from start: Int) {
        let hasBreaks = withUnsafeBytes { json in
            let text = UnsafeRawBufferPointer(rebasing: json[start...])
            guard let base = text.baseAddress else { return false }
            return memchr(base, 0x0A, text.count) != nil || memchr(base, 0x0D, text.count) != nil
        }
        guard hasBreaks else { return }
        for index in start..<count where self[index] == 0x0A || self[index] == 0x0D { self[index] = 0x20 }
    }

    func isSame(as other: UnsafeRawBufferPointer, from start: Int) -> Bool {
        withUnsafeBytes { bytes in
            let text = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard text.count == other.count, let base = text.baseAddress, let otherBase = other.baseAddress else {
                return text.count == other.count
            }
            return memcmp(base, otherBase, text.count) == 0
        }
    }
}
