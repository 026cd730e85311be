import Foundation
import Molt

/// Upgrades lines, one after the other; each thread has its own.
struct DocumentLines {
    private let fields: DocumentFields
    private let documents: DocumentUpgrade
    private let marksDropped: Bool
    /// The version that documents have afterwards, as JSON text.
    private let versionText: [UInt8]
    /// The line, whose members are replaced; its buffers are used again.
    private var line = Record()
    /// The type of the line's document; nil while it is not known.
    private var typeName: String?

    /// What became of the document of a line.
    struct Result {
        var isChanged = false
        var isDropped = false
        /// The number of documents that were extracted from it.
        var extracted = 0
    }

    init(_ fields: DocumentFields, _ documents: DocumentUpgrade, marksDropped: Bool) {
        self.fields = fields
        self.documents = documents
        self.marksDropped = marksDropped
        versionText = Array(String(documents.version).utf8)
    }

    /// Upgrades the document of a line, and appends lines with it and with those that were extracted from it.
    ///
    /// - Parameters:
    ///   - text: The line without its line break.
    ///   - lineBreak: That line break; empty for a last line that has none.
    ///   - output: Stays as it is if the document cannot be upgraded; the last line gets no line break.
    /// - Throws: ``MoltError`` that names the document.
    mutating func upgrade(
        _ text: UnsafeRawBufferPointer,
        lineBreak: UnsafeRawBufferPointer,
        to output: inout [UInt8]
    ) throws -> Result {
        typeName = fields.lineType
        var key: String?
        do {
            if fields.lineType != nil, fields.key == nil, fields.version == nil {
                return try upgradeWhole(text, key: "", version: fields.defaultVersion ?? 0, to: &output)
            }
            try load(text)
            key = try self.key()
            let version = try version()
            let key = key ?? ""
            guard fields.lineType == nil else {
                return try upgradeWhole(text, key: key, version: version, to: &output)
            }
            return try upgradeInside(key, version, lineBreak, to: &output)
        } catch var error as MoltError {
            // Those of the line: a step may have changed them before.
            (error.key, error.type) = (fields.key == nil ? nil : key, typeName)
            throw error
        }
    }

    // MARK: Lines that are documents

    private mutating func upgradeWhole(
        _ text: UnsafeRawBufferPointer,
        key: String,
        version: Int,
        to output: inout [UInt8]
    ) throws -> Result {
        let typeName = fields.lineType ?? ""
        let content = Data(text)
        let all = try documents.upgradeAll(content, ofType: typeName, writtenAt: version, forKey: key)
        let new = all[0]
        guard all.count == 1 else {
            throw unsupported("A step extracts other documents from the document", typeName, key)
        }
        if new.isDropped { return Result(isDropped: true) }
        guard !new.isData else { throw rawData(typeName, key) }
        guard ExactName.isSame(new.key, key) else {
            throw unsupported("A step changes the document's key", typeName, key)
        }
        guard new.expiration == nil else { throw unsupported("A step sets the expiration", typeName, key) }
        let isChanged = new.content != content
        let before = output.count
        guard fields.version != nil else {
            output += new.content
            if isChanged { Self.joinLines(&output, from: before) }
            return Result(isChanged: isChanged)
        }
        if isChanged { try new.content.withUnsafeBytes { try load($0) } }
        try writeVersion()
        line.writeContent(to: &output)
        if isChanged { Self.joinLines(&output, from: before) }
        return Result(isChanged: isChanged)
    }

    // MARK: Lines with a document in them

    private mutating func upgradeInside(
        _ key: String,
        _ version: Int,
        _ lineBreak: UnsafeRawBufferPointer,
        to output: inout [UInt8]
    ) throws -> Result {
        let typeName = try readTypeName()
        self.typeName = typeName
        let (content, isText) = try content()
        let expiration = try expiration()
        let all = try documents.upgradeAll(
            content,
            ofType: typeName,
            writtenAt: version,
            forKey: key,
            expiration: expiration
        )
        let new = all[0]
        guard !all.contains(where: { $0.isData && !$0.isDropped }) else { throw rawData(typeName, key) }
        let before = output.count
        var result = Result()
        if new.isDropped {
            result.isDropped = true
            if marksDropped { line[DocumentFields.dropped] = true }
        } else {
            if !ExactName.isSame(new.typeName, typeName) { line[fields.type] = .string(new.typeName) }
            if !ExactName.isSame(new.key, key), let path = fields.key { line[path] = .string(new.key) }
            if new.expiration != expiration {
                line[fields.expiration] = new.expiration.flatMap { .double($0.timeIntervalSince1970) } ?? .null
            }
            if new.content != content { try put(new.content, asText: isText, in: &line) }
            result.isChanged = line.revision > 0
            try writeVersion()
        }
        if let error = line.failure { throw error }
        if !new.isDropped || marksDropped { line.writeContent(to: &output) }
        result.extracted = all.count - 1
        do {
            for extracted in all.dropFirst() {
                if output.count > before { output += lineBreak.isEmpty ? Self.lineBreak : Array(lineBreak) }
                try write(extracted, from: new.key, asText: isText, to: &output)
            }
        } catch {
            output.removeSubrange(before...)
            throw error
        }
        return result
    }

    /// Appends the line of a document that was extracted.
    private func write(
        _ document: DocumentUpgrade.Output,
        from outer: String,
        asText isText: Bool,
        to output: inout [UInt8]
    ) throws {
        var line = try Record(json: "{}".utf8)
        if let path = fields.key { line[path] = .string(document.key) }
        line[fields.type] = .string(document.typeName)
        if let path = fields.version { try line.put(versionText, at: path) }
        try put(document.content, asText: isText, in: &line)
        if let expiration = document.expiration {
            line[fields.expiration] = .double(expiration.timeIntervalSince1970)
        }
        line[DocumentFields.extractedFrom] = .string(outer)
        if let error = line.failure { throw error }
        line.writeContent(to: &output)
    }

    /// Puts a document into a line.
    ///
    /// - Parameter isText: Whether it stands in a string, as a document that is a string itself always does.
    private func put(_ content: Data, asText isText: Bool, in line: inout Record) throws {
        let first = content.first { !" \t\r\n".utf8.contains($0) }
        if isText || first == UInt8(ascii: "\"") {
            try line.put(text: content, at: fields.content)
        } else {
            var json = Array(content)
            Self.joinLines(&json, from: 0)
            try line.put(json, at: fields.content)
        }
    }

    // MARK: Members

    private mutating func load(_ text: UnsafeRawBufferPointer) throws {
        LentRecord.with("", text, isData: false, expiration: nil) { line.load($0, typeName: "line") }
        do {
            try line.read()
        } catch let error as MoltError {
            let reason = error.underlying.map { ": \($0)" } ?? ""
            throw MoltError(.malformedContent, "The line is not JSON text\(reason).")
        }
        guard line.isObject else { throw MoltError(.malformedContent, "The line is not a JSON object.") }
    }

    private func key() throws -> String {
        guard let path = fields.key else { return "" }
        switch line.scalar(at: path) {
        case .string(let key): return key
        // Many tables have integers as keys.
        case .number(let text) where !text.utf8.contains(where: { ".eE".utf8.contains($0) }): return text
        case .missing, .null: throw missing(path, "key", option: "--key-field")
        case .number, .other: break
        }
        throw MoltError(.typeMismatch, "The key in \"\(path)\" is neither a string nor an integer.")
    }

    private func version() throws -> Int {
        let path = fields.version ?? "version"
        switch fields.version.map({ line.scalar(at: $0) }) ?? .missing {
        case .number(let text):
            if let version = Int(text) { return version }
        case .missing, .null:
            if let version = fields.defaultVersion { return version }
            throw missing(path, "version", option: "--version-field", or: " or --from")
        case .string, .other: break
        }
        throw MoltError(.typeMismatch, "The version in \"\(path)\" is not an integer.")
    }

    private mutating func writeVersion() throws {
        if let path = fields.version { try line.put(versionText, at: path) }
    }

    private func readTypeName() throws -> String {
        let path = fields.type
        switch line.scalar(at: path) {
        case .string(let name): return name
        case .missing, .null: throw missing(path, "type", option: "--type-field")
        case .number, .other: throw MoltError(.typeMismatch, "The type in \"\(path)\" is not a string.")
        }
    }

    private func expiration() throws -> Date? {
        switch line.scalar(at: fields.expiration) {
        case .missing, .null: return nil
        case .number(let text):
            if let seconds = Double(text), seconds.isFinite { return Date(timeIntervalSince1970: seconds) }
        case .string, .other: break
        }
        throw MoltError(.typeMismatch, "The expiration in \"\(fields.expiration)\" is not a number of seconds.")
    }

    /// The bytes of the document, and whether they stand in a string.
    private func content() throws -> (Data, isText: Bool) {
        let path = fields.content
        if let text = line.text(at: path) { return (Data(text), true) }
        guard let content = line.withValue(at: path, { Data(buffer: $0) }) else {
            throw missing(path, "document", option: "--content-field")
        }
        return (content, false)
    }

    // MARK: Text

    private static let lineBreak: [UInt8] = [0x0A]

    /// Makes one line of JSON text, in which line breaks can only be white space between tokens.
    private static func joinLines(_ json: inout [UInt8], from start: Int) {
        let hasBreaks = json.withUnsafeBytes { json in
            let text = UnsafeRawBufferPointer(rebasing: json[start...])
            guard let base = text.baseAddress else { return false }
            return memchr(base, 0x0A, text.count) != nil || memchr(base, 0x0D, text.count) != nil
        }
        guard hasBreaks else { return }
        for index in start..<json.count where json[index] == 0x0A || json[index] == 0x0D { json[index] = 0x20 }
    }

    // MARK: Errors

    private func missing(_ path: PropertyPath, _ noun: String, option: String, or other: String = "") -> MoltError {
        MoltError(
            .propertyMissing,
            "The line has no \(noun) in \"\(path)\".",
            advice: "Name the member that has it with \(option)\(other)."
        )
    }

    private func unsupported(_ problem: String, _ typeName: String, _ key: String) -> MoltError {
        MoltError(
            .unsupported,
            "\(problem), and a line that is the document itself has no place for that.",
            advice: "Put the document into a line with its key, type and version, and leave out --type.",
            key: key,
            type: typeName
        )
    }

    private func rawData(_ typeName: String, _ key: String) -> MoltError {
        MoltError(
            .unsupported,
            "A step replaces the document by raw data, which is not JSON text.",
            key: key,
            type: typeName
        )
    }
}
