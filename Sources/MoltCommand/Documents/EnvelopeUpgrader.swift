import Foundation
import Molt

/// Upgrades the documents in lines that also have the key, the type and the version.
struct EnvelopeUpgrader: LineUpgrader {
    private let fields: DocumentFields.Envelope
    private let documents: DocumentUpgrade
    /// The version that documents have afterwards, as JSON text.
    private let newVersion: [UInt8]
    /// The line, whose members are replaced; its buffers are used again.
    private var line = Record()

    init(_ fields: DocumentFields.Envelope, _ documents: DocumentUpgrade) {
        self.fields = fields
        self.documents = documents
        newVersion = Array("\(documents.version)".utf8)
    }

    mutating func upgrade(
        _ text: UnsafeRawBufferPointer,
        lineBreak: UnsafeRawBufferPointer,
        to output: inout [UInt8]
    ) throws(MoltError) -> LineResult {
        var key: String?
        var typeName: String?
        do {
            try line.load(line: text)
            if fields.marksDropped, line.isTrue(at: DocumentFields.Envelope.dropped) {
                output += text
                return LineResult()
            }
            let lineKey = try line.documentKey(at: fields.key)
            key = lineKey
            let version = try line.documentVersion(fields.version)
            let lineType = try line.documentType(at: fields.type)
            typeName = lineType
            return try upgrade(lineKey, lineType, version, lineBreak, to: &output)
        } catch {
            throw MoltError(error, inLineOf: key, typeName)
        }
    }

    private mutating func upgrade(
        _ key: String,
        _ typeName: String,
        _ version: Int,
        _ lineBreak: UnsafeRawBufferPointer,
        to output: inout [UInt8]
    ) throws -> LineResult {
        let (result, isText, extracted) = try upgradeDocument(key, typeName, version)
        let start = output.count
        if !result.isDropped || fields.marksDropped { line.writeContent(to: &output) }
        for document in extracted {
            if output.count > start, lineBreak.isEmpty { output.append(0x0A) }
            if output.count > start { output += lineBreak }
            try write(document.record, asText: isText, to: &output)
        }
        return result
    }

    /// Upgrades the document in the line, and puts it there.
    ///
    /// A function of its own, so that a long document is not held while its line is written.
    ///
    /// - Returns: Also whether the document stands in a string, and the documents that were extracted from it.
    private mutating func upgradeDocument(
        _ key: String,
        _ typeName: String,
        _ version: Int
    ) throws -> (LineResult, isText: Bool, extracted: [DocumentSteps.Document]) {
        let text = line.text(at: fields.content)
        let expiration = try line.documentExpiration(at: fields.expiration)
        func upgrade(_ content: UnsafeRawBufferPointer) throws -> [DocumentSteps.Document] {
            try documents.upgradeAll(
                content,
                ofType: typeName,
                writtenAt: version,
                forKey: key,
                expiration: expiration
            )
        }
        let all =
            try text.map { try $0.withUnsafeBytes(upgrade) }
            ?? line.withValue(at: fields.content) { try upgrade(UnsafeRawBufferPointer($0)) }
        guard var all else { throw MoltError.missing(fields.content, "document", option: "--content-field") }
        guard !all.contains(where: { $0.record.isData && !$0.isDropped }) else { throw MoltError.replacedByData }
        let outer = all.removeFirst()
        let record = outer.record
        var result = LineResult(isDropped: outer.isDropped, extracted: all.count)
        if !outer.isDropped {
            if !ExactName.isSame(record.typeName, typeName) { line[fields.type] = .string(record.typeName) }
            if let new = record.changedKey, !ExactName.isSame(new, key) { line[fields.key] = .string(new) }
            if record.expiration != expiration {
                line[fields.expiration] = record.expirationSeconds.flatMap { .double($0) } ?? .null
            }
            if outer.isChanged { try line.put(document: record, at: fields.content, inPlaceOf: text) }
            result.isChanged = line.revision > 0
            try line.put(newVersion, at: fields.version.path)
        } else if fields.marksDropped {
            line[DocumentFields.Envelope.dropped] = true
        }
        if let error = line.failure { throw error }
        return (result, text != nil, all)
    }

    /// Appends the line of a document that was extracted.
    private func write(_ document: Record, asText isText: Bool, to output: inout [UInt8]) throws {
        var new = try Record(json: "{}".utf8)
        new[fields.key] = .string(document.key)
        new[fields.type] = .string(document.typeName)
        try new.put(newVersion, at: fields.version.path)
        try new.put(document: document, at: fields.content, inPlaceOf: isText ? [] : nil)
        if let seconds = document.expirationSeconds { new[fields.expiration] = .double(seconds) }
        new[DocumentFields.Envelope.extractedFrom] = line[fields.key]
        if let error = new.failure { throw error }
        new.writeContent(to: &output)
    }
}
