internal import Foundation

/// Something else in a file than an export has there.
struct ExportFault: Error {
    /// The fault and what was expected; never a value.
    var problem: String
    /// The place, in bytes.
    var offset: Int
}

/// The text of a record in an export.
struct ExportedRecord {
    private let text: UnsafeBufferPointer<UInt8>
    private var members: [ExportFormat.RecordMember: Range<Int>] = [:]

    static func read(
        _ text: UnsafeBufferPointer<UInt8>,
        version: Int
    ) throws(ExportFault) -> StoreContents.DatedRecord {
        try ExportedRecord(text).record(version: version)
    }

    private init(_ text: UnsafeBufferPointer<UInt8>) throws(ExportFault) {
        self.text = text
        var repeated: (name: String, offset: Int)?
        do throws(JSONSyntaxError) {
            repeated = try findMembers()
        } catch {
            throw ExportFault(problem: "a record is not JSON text: \(error.reason.rawValue)", offset: error.offset)
        }
        if let repeated {
            throw ExportFault(
                problem:
                    "the member \"\(ErrorSummary.oneLine(String(repeated.name.prefix(40))))\" of a record is unknown "
                    + "or repeated",
                offset: repeated.offset
            )
        }
    }

    /// Finds the members, and checks the whole text.
    ///
    /// Values are checked one by one, because content may be nested as deeply as a store accepts it.
    ///
    /// - Returns: A member that is unknown or repeated; nil if there is none.
    private mutating func findMembers() throws(JSONSyntaxError) -> (name: String, offset: Int)? {
        guard let base = text.baseAddress else { throw JSONSyntaxError(reason: .unexpectedEnd, offset: 0) }
        var scanner = JSONScanner(base: base, to: text.count)
        var repeated: (name: String, offset: Int)?
        try scanner.expect(UInt8(ascii: "{"))
        while true {
            scanner.skipWhitespace()
            let start = scanner.position
            _ = try scanner.skipString()
            let name = JSONString.decode(base, from: start, to: scanner.position)
            scanner.skipWhitespace()
            try scanner.expect(UInt8(ascii: ":"))
            let end = scanner.position
            let value = try scanner.passValue()
            scanner.skipWhitespace()
            if let member = ExportFormat.RecordMember(rawValue: name), members[member] == nil {
                // White space around content belongs to it.
                members[member] = member == .content ? end..<scanner.position : value
            } else {
                repeated = repeated ?? (name, start)
            }
            guard scanner.next == UInt8(ascii: ",") else { break }
            scanner.position += 1
        }
        try scanner.expect(UInt8(ascii: "}"))
        try scanner.expectEnd()
        return repeated
    }

    private func record(version: Int) throws(ExportFault) -> StoreContents.DatedRecord {
        var record = StoreContents.DatedRecord(
            stored: StoreContents.StoredRecord(
                key: try string(.key),
                typeName: try string(.type),
                content: [],
                isData: members[.data] != nil,
                expiration: members[.expires] == nil ? nil : try time(.expires),
                version: version
            ),
            created: try time(.created),
            updated: try time(.updated)
        )
        if record.stored.typeName.isEmpty { throw fault(.type, "the name of a type", members[.type]) }
        if !record.hasPossibleDates {
            throw fault(.updated, "a date, as \"created\", in seconds since 1970", members[.updated])
        }
        switch (members[.content], members[.data]) {
        case (let content?, nil):
            record.stored.content = Array(text[content])
        case (nil, let range?):
            guard let data = Data(base64Encoded: try string(.data)) else { throw fault(.data, "Base64", range) }
            record.stored.content = Array(data)
        default:
            throw ExportFault(problem: "a record needs either \"content\" or \"data\"", offset: 0)
        }
        return record
    }

    private func string(_ member: ExportFormat.RecordMember) throws(ExportFault) -> String {
        guard let range = members[member], text[range.lowerBound] == UInt8(ascii: "\""), let base = text.baseAddress
        else { throw fault(member, "a string", members[member]) }
        return JSONString.decode(base, from: range.lowerBound, to: range.upperBound)
    }

    private func time(_ member: ExportFormat.RecordMember) throws(ExportFault) -> Double {
        let number = members[member].map { String(decoding: text[$0], as: UTF8.self) }
            .flatMap(RecordValue.Number.init(text:))
        guard let seconds = number?.double else { throw fault(member, "a number", members[member]) }
        return seconds
    }

    private func fault(_ member: ExportFormat.RecordMember, _ kind: String, _ range: Range<Int>?) -> ExportFault {
        ExportFault(problem: "a record's \"\(member)\" must be \(kind)", offset: range?.lowerBound ?? 0)
    }
}
