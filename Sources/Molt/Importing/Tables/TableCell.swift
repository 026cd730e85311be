internal import Foundation

/// Converts the cells of a row to JSON.
struct TableCell {
    let column: TableColumn
    /// The position of its value in the row.
    let index: Int32
    /// The position of the value that names another row, if it is that row's; it is followed by the one that it names.
    let referenceIndex: Int32?
    let coding: RecordCoding
    /// The directory of Core Data for large values.
    let externalDirectory: String

    /// Why a cell cannot be converted, without anything of its value.
    struct Fault: Error {
        var reason: String
    }

    private static let earliest = Date.distantPast.timeIntervalSince1970
    private static let latest = Date.distantFuture.timeIntervalSince1970
    private static let from1970To2001 = Date.timeIntervalBetween1970AndReferenceDate

    private func fault(_ row: Statement, _ expected: String) -> Fault {
        let found =
            switch row.storageClass(index) {
            case .null: "null"
            case .integer, .real: "a number"
            case .text: "text"
            case .blob: "data"
            }
        return Fault(reason: "\(expected) expected, \(found) found")
    }

    /// Writes the value as JSON.
    ///
    /// - Returns: False if there is none.
    func write(_ row: Statement, to bytes: inout [UInt8]) throws -> Bool {
        let storage = row.storageClass(index)
        if storage == .null {
            if let referenceIndex, !row.isNull(referenceIndex), row.isNull(referenceIndex + 1) {
                throw Fault(reason: "the row that it refers to is missing")
            }
            return false
        }
        switch column.kind {
        case .text:
            guard storage == .text else { throw fault(row, "text") }
            try writeText(row, to: &bytes)
        case .integer:
            bytes += String(try integer(row, storage)).utf8
        case .boolean:
            guard storage == .integer, 0...1 ~= row.integer(index) else { throw fault(row, "0 or 1") }
            bytes += (row.integer(index) == 1 ? "true" : "false").utf8
        case .double:
            bytes += try number(row, storage).text.utf8
        case .float:
            let value = try number(row, storage).double.map { Float($0) }
            guard let value, let number = RecordValue.Number(text: value.description) else {
                throw fault(row, "a number of type Float")
            }
            bytes += number.text.utf8
        case .decimal:
            bytes += try decimal(row, storage).utf8
        case .date(let form):
            bytes += try date(row, storage, form)
        case .uuid:
            JSONString.write(try uuid(row, storage), to: &bytes)
        case .data:
            guard storage == .blob else { throw fault(row, "data") }
            try write(Data(row.bytes(index)), to: &bytes)
        case .externalData:
            guard storage == .blob else { throw fault(row, "data") }
            try write(external(Data(row.bytes(index))), to: &bytes)
        case .json:
            // A column of the type JSON makes numbers of texts that look like one.
            guard storage == .text || storage == .blob else {
                bytes += try number(row, storage).text.utf8
                return true
            }
            let text = Array(row.bytes(index))
            guard text.withUnsafeBufferPointer({ JSONScanner.fault(in: $0) }) == nil else {
                throw Fault(reason: "JSON text expected, something else found")
            }
            bytes += text
        }
        return true
    }

    /// The value as a key.
    func key(_ row: Statement) throws -> String {
        let storage = row.storageClass(index)
        guard storage != .null else { throw Fault(reason: "the key is null") }
        switch column.kind {
        case .text:
            guard storage == .text else { throw fault(row, "text") }
            let key = try text(row)
            guard !key.isEmpty else { throw Fault(reason: "the key is empty") }
            return key
        case .integer: return String(try integer(row, storage))
        case .uuid: return try uuid(row, storage)
        case .double, .float, .boolean, .decimal, .data, .externalData, .json, .date:
            throw Fault(reason: "a value of this kind is no key")
        }
    }

    /// Writes a value as it is in the row, whatever its kind.
    func writeRaw(_ row: Statement, to bytes: inout [UInt8]) {
        switch row.storageClass(index) {
        case .null: bytes += "null".utf8
        case .integer: bytes += String(row.integer(index)).utf8
        case .real:
            let value = row.real(index) ?? 0
            bytes += (RecordValue.Number(value)?.text ?? "\"\(value)\"").utf8
        case .text where (try? text(row)) != nil: JSONString.write(row.text(index), to: &bytes)
        case .text, .blob: JSONString.write(Data(row.bytes(index)).base64EncodedString(), to: &bytes)
        }
    }

    // MARK: Kinds

    private func text(_ row: Statement) throws -> String {
        let text = row.text(index)
        guard text.utf8.elementsEqual(row.bytes(index)) else { throw Fault(reason: "the text is not UTF-8") }
        return text
    }

    private func writeText(_ row: Statement, to bytes: inout [UInt8]) throws {
        let utf8 = row.bytes(index).assumingMemoryBound(to: UInt8.self)
        if utf8.allSatisfy({ 0x20..<0x80 ~= $0 && $0 != 0x22 && $0 != 0x5C }) {
            JSONString.write(unescaped: utf8, to: &bytes)
        } else {
            JSONString.write(try text(row), to: &bytes)
        }
    }

    private func integer(_ row: Statement, _ storage: Statement.Class) throws -> Int64 {
        if storage == .integer { return row.integer(index) }
        guard storage == .real, let value = row.real(index).flatMap({ Int64(exactly: $0) }) else {
            throw fault(row, "an integer")
        }
        return value
    }

    private func number(_ row: Statement, _ storage: Statement.Class) throws -> RecordValue.Number {
        if storage == .integer { return RecordValue.Number(row.integer(index)) }
        guard storage == .real, let number = row.real(index).flatMap({ RecordValue.Number($0) }) else {
            throw fault(row, "a finite number")
        }
        return number
    }

    private func decimal(_ row: Statement, _ storage: Statement.Class) throws -> String {
        guard storage == .text else { return try number(row, storage).text }
        guard let number = RecordValue.Number(text: try text(row)) else { throw fault(row, "a decimal number") }
        return number.text
    }

    private func uuid(_ row: Statement, _ storage: Statement.Class) throws -> String {
        let bytes = row.bytes(index)
        if storage == .blob, bytes.count == 16 { return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)).uuidString }
        guard storage == .text, let uuid = UUID(uuidString: try text(row)) else { throw fault(row, "a UUID") }
        return uuid.uuidString
    }

    private func date(_ row: Statement, _ storage: Statement.Class, _ form: TableColumn.DateForm) throws -> [UInt8] {
        let expected = "a date of the years 1 to 4000"
        let source: Record.DateForm
        var value: RecordValue
        switch form {
        case .since2001: (source, value) = (.deferredToDate, .number(try number(row, storage)))
        case .since1970: (source, value) = (.secondsSince1970, .number(try number(row, storage)))
        case .millisecondsSince1970: (source, value) = (.millisecondsSince1970, .number(try number(row, storage)))
        case .text:
            guard storage == .text else { throw fault(row, "the text of a date") }
            (source, value) = (.iso8601, .string(Self.iso8601(try text(row))))
        }
        guard let seconds = source.seconds(value), let moment = Double(seconds.text),
            Self.earliest...Self.latest ~= moment
        else { throw fault(row, expected) }
        guard let target = coding.dateForm else {
            return Array(try coding.encode(Date(timeIntervalSince1970: moment)))
        }
        if source == target, case .number(let number) = value { return Array(number.text.utf8) }
        guard let json = target.json(seconds) else { throw fault(row, expected) }
        return Array(json.utf8)
    }

    /// The form of ISO 8601 for a date as SQLite's functions write it: without a zone it is in UTC.
    private static func iso8601(_ text: String) -> String {
        var text = text
        if let space = text.firstIndex(of: " ") { text.replaceSubrange(space...space, with: "T") }
        if !text.contains("T") { text += "T00:00:00" }
        let time = text[(text.firstIndex(of: "T") ?? text.startIndex)...]
        if time.count == 6 { text += ":00" }
        return time.contains { "Z+-".contains($0) } ? text : text + "Z"
    }

    // MARK: Data

    private func write(_ data: Data, to bytes: inout [UInt8]) throws {
        if case .base64 = coding.encoder.dataEncodingStrategy {
            JSONString.write(data.base64EncodedString(), to: &bytes)
        } else {
            bytes += try coding.encode(data)
        }
    }

    /// The value of an attribute that allows external storage: 1 and the value itself, or 2 and the name of its file.
    private func external(_ data: Data) throws -> Data {
        switch data.first {
        case 1: return data.dropFirst()
        case 2:
            let name = String(decoding: data.dropFirst(), as: UTF8.self).trimmingCharacters(in: ["\0", " "])
            // A name that is no UUID could lead elsewhere.
            guard UUID(uuidString: name) != nil,
                let content = FileManager.default.contents(atPath: externalDirectory + "/" + name)
            else { throw Fault(reason: "the file of the value is missing in \(externalDirectory)") }
            return content
        default: throw Fault(reason: "data in the form of Core Data's external storage expected")
        }
    }
}
