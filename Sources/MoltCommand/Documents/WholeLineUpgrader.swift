import Molt

/// Upgrades lines that are documents themselves.
struct WholeLineUpgrader: LineUpgrader {
    private let fields: DocumentFields.WholeLine
    private let documents: DocumentUpgrade
    /// The version that documents have afterwards, as JSON text.
    private let newVersion: [UInt8]
    /// The line, if it has members to read; its buffers are used again.
    private var line = Record()

    init(_ fields: DocumentFields.WholeLine, _ documents: DocumentUpgrade) {
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
        do {
            switch fields.version {
            case .given(let version):
                if fields.key != nil { try line.load(line: text) }
                key = try fields.key.map { try line.documentKey(at: $0) }
                return try upgrade(text, key ?? "", version, to: &output)
            case .member(let member):
                try line.load(line: text)
                key = try fields.key.map { try line.documentKey(at: $0) }
                let version = try line.documentVersion(member)
                return try upgrade(text, key ?? "", version, writingVersionAt: member.path, to: &output)
            }
        } catch {
            throw MoltError(error, inLineOf: key, fields.typeName)
        }
    }

    private func upgrade(
        _ text: UnsafeRawBufferPointer,
        _ key: String,
        _ version: Int,
        writingVersionAt path: PropertyPath? = nil,
        to output: inout [UInt8]
    ) throws -> LineResult {
        let all = try documents.upgradeAll(text, ofType: fields.typeName, writtenAt: version, forKey: key)
        guard all.count == 1 else { throw Self.unsupported("A step extracts other documents from the document") }
        if all[0].isDropped { return LineResult(isDropped: true) }
        var record = all[0].record
        guard !record.isData else { throw MoltError.replacedByData }
        guard ExactName.isSame(record.changedKey ?? key, key) else {
            throw Self.unsupported("A step changes the document's key")
        }
        guard record.expiration == nil else { throw Self.unsupported("A step sets the expiration") }
        let start = output.count
        record.writeContent(to: &output)
        let isChanged = all[0].isChanged && !output.isSame(as: text, from: start)
        if let path {
            output.removeLast(output.count - start)
            try record.read()
            try record.put(newVersion, at: path)
            record.writeContent(to: &output)
        }
        if isChanged { output.joinLines(from: start) }
        return LineResult(isChanged: isChanged)
    }

    private static func unsupported(_ problem: String) -> MoltError {
        MoltError(
            .unsupported,
            "\(problem), and a line that is the document itself has no place for that.",
            advice: "Put the document into a line with its key, type and version, and leave out --type."
        )
    }
}
