internal import Foundation

/// Reads an export as a stream: its head, and then one record at a time.
final class ExportReader {
    private let path: String
    private let source: ByteSource
    /// A part of the file, and its place there.
    private var buffer: [UInt8] = []
    private var bufferOffset = 0
    /// The place in the buffer of what was not read yet.
    private var position = 0
    private var isInRecords = false
    private static let chunkSize = 1 << 18

    /// - Throws: ``MoltError`` with the code `noPermission` if the file cannot be read.
    init(_ path: String) throws {
        self.path = path
        guard let source = ByteSource(path: FileStatus.resolved(path)) else {
            throw MoltError(
                .noPermission,
                "The export at \(path) is not readable.",
                advice: "Check its permissions.",
                outcome: .unchanged,
                store: path
            )
        }
        self.source = source
    }

    /// The part of the file that was read, from 0 to 1.
    var fraction: Double { source.count == 0 ? 1 : Double(offset) / Double(source.count) }

    private var offset: Int { bufferOffset + position }

    // MARK: The head

    /// Reads everything before the records.
    ///
    /// - Throws: ``MoltError`` with the code `malformedExport` or, for one of a later format, `newerFormat`.
    func head() throws -> ExportFormat.Head {
        try reporting {
            var members: [ExportFormat.Member: JSONPart] = [:]
            var settings: (value: JSONPart, offset: Int)?
            try expect("{", or: "an export is a JSON object in UTF-8, without a byte order mark")
            while true {
                try skipWhitespace()
                let start = offset
                guard let name = try part().value.string else {
                    throw ExportFault(problem: "a name must be a string", offset: start)
                }
                let member = ExportFormat.Member(rawValue: name)
                if members[.format] != nil, members[.formatVersion] != nil { try checkFormat(members) }
                guard let member, members[member] == nil else {
                    throw ExportFault(
                        problem:
                            "the member \"\(ErrorSummary.oneLine(String(name.prefix(40))))\" is unknown or repeated",
                        offset: start
                    )
                }
                try expect(":", or: "a colon must follow a name")
                if member == .records { break }
                let part = try part()
                members[member] = part.value
                if member == .settings { settings = part }
                try expect(",", or: "another member must follow, because \"records\" comes last")
            }
            try expect("[", or: "the records must be an array")
            var head = try head(members)
            if let settings {
                head.settings = try Self.at(settings.offset) { () throws(ExportFault) in
                    try ExportedSuite.suites(settings.value)
                }
            }
            return head
        }
    }

    private func checkFormat(_ members: [ExportFormat.Member: JSONPart]) throws {
        guard members[.format]?.string == ExportFormat.name else {
            throw fault("its member \"format\" must be \"\(ExportFormat.name)\"")
        }
        let format = try number(.formatVersion, members)
        guard format > 0 else { throw fault("its member \"formatVersion\" must be at least 1") }
        guard format <= ExportFormat.version else {
            throw MoltError(
                .newerFormat,
                "The export at \(path) has the format \(format), and this release of Molt reads formats up to "
                    + "\(ExportFormat.version).",
                advice: "Update the app.",
                outcome: .unchanged,
                store: path
            )
        }
    }

    private func head(_ members: [ExportFormat.Member: JSONPart]) throws -> ExportFormat.Head {
        try checkFormat(members)
        let migrations = members[.migrations]?.elements?.map(ExportedMigration.init)
        guard let migrations, !migrations.contains(nil) else {
            throw fault("its member \"migrations\" must be an array of objects with a \"name\" and a \"version\"")
        }
        return ExportFormat.Head(version: try number(.version, members), migrations: migrations.compactMap(\.self))
    }

    private func number(
        _ member: ExportFormat.Member,
        _ members: [ExportFormat.Member: JSONPart]
    ) throws(ExportFault) -> Int {
        guard let number = (members[member]?.text).flatMap({ Int32($0) }), number >= 0 else {
            throw fault("its member \"\(member)\" must be an integer of 0 or more")
        }
        return Int(number)
    }

    // MARK: The records

    /// The next record, with the place where it begins; nil after the last one, if nothing follows it.
    ///
    /// - Throws: ``MoltError`` with the code `malformedExport`.
    func next(version: Int) throws -> (record: StoreContents.DatedRecord, offset: Int)? {
        try reporting {
            if try peek() == UInt8(ascii: "]") {
                position += 1
                guard try peek() != nil else { throw fault("the text ends too early") }
                try expect("}", or: "the records must be the last member")
                if try peek() != nil { throw fault("nothing may follow the export") }
                return nil
            }
            if isInRecords { try expect(",", or: "a comma or a bracket must follow a record") }
            isInRecords = true
            let range = try passValue()
            let start = bufferOffset + range.lowerBound
            let record = try Self.at(start) { () throws(ExportFault) in
                try buffer.withUnsafeBufferPointer { text throws(ExportFault) in
                    try ExportedRecord.read(UnsafeBufferPointer(rebasing: text[range]), version: version)
                }
            }
            return (record, start)
        }
    }

    /// The error for the record at a place.
    func malformed(_ problem: String, at offset: Int) -> MoltError {
        MoltError(
            .malformedExport,
            "The file at \(path) is not an export of Molt, or is damaged: \(problem), at byte \(offset).",
            advice: "Export the records again.",
            outcome: .unchanged,
            store: path
        )
    }

    private func reporting<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let fault as ExportFault {
            throw malformed(fault.problem, at: fault.offset)
        }
    }

    private func fault(_ problem: String) -> ExportFault {
        ExportFault(problem: problem, offset: offset)
    }

    // MARK: The text

    /// The next byte after white space; nil at the end.
    private func peek() throws(ExportFault) -> UInt8? {
        try skipWhitespace()
        return position < buffer.count ? buffer[position] : nil
    }

    private func skipWhitespace() throws(ExportFault) {
        while true {
            if position == buffer.count {
                guard try fill(keepingFrom: position) else { return }
            }
            guard [0x20, 0x0A, 0x0D, 0x09].contains(buffer[position]) else { return }
            position += 1
        }
    }

    private func expect(_ character: Unicode.Scalar, or problem: String) throws(ExportFault) {
        guard try peek() == UInt8(ascii: character) else { throw fault(problem) }
        position += 1
    }

    /// Reads a value of the head, and its place in the file.
    private func part() throws(ExportFault) -> (value: JSONPart, offset: Int) {
        let range = try passValue()
        let start = bufferOffset + range.lowerBound
        do throws(JSONSyntaxError) {
            return (try JSONPart(Array(buffer[range])), start)
        } catch {
            throw ExportFault(problem: "it is not JSON text: \(error.reason.rawValue)", offset: start + error.offset)
        }
    }

    /// Runs a closure whose faults have the place in a part of the file.
    private static func at<Value>(_ start: Int, _ body: () throws(ExportFault) -> Value) throws(ExportFault) -> Value {
        do throws(ExportFault) {
            return try body()
        } catch {
            throw ExportFault(problem: error.problem, offset: start + error.offset)
        }
    }

    /// Moves past a value.
    ///
    /// It only looks for the value's end: the value must be checked.
    ///
    /// - Returns: The place of all of it in the buffer.
    private func passValue() throws(ExportFault) -> Range<Int> {
        try skipWhitespace()
        var start = position
        var search = ValueSearch()
        while true {
            position += buffer[position...].withUnsafeBufferPointer { search.pass($0) }
            if search.isAtEnd { break }
            guard try fill(keepingFrom: start) else { break }
            start = 0
        }
        return start..<position
    }

    /// Reads the next part of the file into the buffer.
    ///
    /// - Parameter start: The place of the first byte that is still needed.
    /// - Returns: Whether there is more.
    private func fill(keepingFrom start: Int) throws(ExportFault) -> Bool {
        let end = bufferOffset + buffer.count
        let count = min(Self.chunkSize, source.count - end)
        guard count > 0 else { return false }
        guard let bytes = source.read(at: end, count) else {
            throw ExportFault(problem: "the rest of the file cannot be read", offset: end)
        }
        buffer.removeFirst(start)
        buffer += bytes
        bufferOffset += start
        position -= start
        return true
    }
}

/// Looks for the end of a JSON value in a text that comes in parts.
private struct ValueSearch {
    private(set) var isAtEnd = false
    private var depth = 0
    /// The length of a number or word outside of objects and arrays.
    private var wordLength = 0
    private static let longestWord = 64
    private var isInString = false
    private var isEscaped = false

    /// Looks through the next part.
    ///
    /// - Returns: The number of its bytes that belong to the value. A fault ends the value, so that not all of a
    ///   damaged file is read into memory.
    mutating func pass(_ part: UnsafeBufferPointer<UInt8>) -> Int {
        for (index, byte) in part.enumerated() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    isAtEnd = depth == 0
                } else if byte < 0x20 {
                    isAtEnd = true
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""):
                    isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    guard depth > 0 else { return end(index) }
                    depth -= 1
                    isAtEnd = depth == 0
                case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
                    if depth == 0 { return end(index) }
                default:
                    guard depth == 0 else { break }
                    wordLength += 1
                    if wordLength > Self.longestWord { return end(index) }
                }
            }
            if isAtEnd { return index + 1 }
        }
        return part.count
    }

    private mutating func end(_ index: Int) -> Int {
        isAtEnd = true
        return index
    }
}
