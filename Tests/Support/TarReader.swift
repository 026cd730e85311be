internal import Foundation
internal import MoltTesting

/// Reads the files in a tar archive, with times to the nanosecond where the archive has them.
///
/// The formats are POSIX.1-2017 pax ("ustar Interchange Format" and "pax Extended Header"), and GNU's headers for long
/// names. An archive consists of 512-byte blocks: for each file a header and the content, padded to full blocks. Blocks
/// of zeros end it.
struct TarReader {
    private static let block = 512

    private let bytes: [UInt8]
    private let file: URL
    /// The offset of the current header.
    private var offset = 0
    /// The extended header records for all following files, and those for the next file.
    private var common: [String: String] = [:]
    private var extended: [String: String] = [:]

    init(_ bytes: [UInt8], file: URL) {
        self.bytes = bytes
        self.file = file
    }

    /// Reads all files, and removes `./` from the start of their names.
    ///
    /// - Throws: `TestingError` with the code `malformedFixture`, which names the place.
    mutating func files() throws -> [DirectoryFixture.File] {
        var files: [DirectoryFixture.File] = []
        var names: Set<[UInt8]> = []
        while true {
            guard bytes.count - offset >= Self.block else {
                throw failure(
                    "The archive ends here without the blocks of zeros that end one: it was cut off, or is no tar archive"
                )
            }
            guard bytes[offset..<offset + Self.block].contains(where: { $0 != 0 }) else { return files }
            try checkSum()
            let kind = bytes[offset + 156]
            let content = try content(of: kind)
            switch kind {
            case UInt8(ascii: "x"):
                try extended.merge(records(content)) { $1 }
            case UInt8(ascii: "g"):
                try common.merge(records(content)) { $1 }
            case UInt8(ascii: "L"):
                extended["path"] = String(decoding: content.prefix { $0 != 0 }, as: UTF8.self)
            case UInt8(ascii: "0"), UInt8(ascii: "7"), 0:
                let name = try name()
                guard !extended.keys.contains(where: { $0.hasPrefix("GNU.sparse.") }) else {
                    throw failure("The file \"\(name)\" is kept with holes: make the archive without --sparse")
                }
                guard names.insert(Array(name.utf8)).inserted else {
                    throw failure("The file \"\(name)\" is in the archive twice")
                }
                files.append(DirectoryFixture.File(name, Data(content), modified: try modified()))
                extended = [:]
            case UInt8(ascii: "5"):
                extended = [:]
            default:
                let kind = String(decoding: [kind], as: UTF8.self)
                throw failure("The entry \"\(try name())\" is neither a file nor a directory (kind \"\(kind)\")")
            }
            offset = content.endIndex + (Self.block - content.count % Self.block) % Self.block
        }
    }

    // MARK: Headers

    private func checkSum() throws {
        // The checksum is the sum of the header's bytes, with spaces in place of the checksum itself.
        let sum = (0..<Self.block).reduce(0) { sum, index in
            sum + (148..<156 ~= index ? 0x20 : Int(bytes[offset + index]))
        }
        // A checksum that is not a number is wrong.
        guard (try? number(148, 8)) == Int64(sum) else {
            throw failure("The sum of the header is wrong: the archive is damaged or compressed, or is no tar archive")
        }
    }

    private func content(of kind: UInt8) throws -> ArraySlice<UInt8> {
        let start = offset + Self.block
        // A directory has no content, even if its size is not 0.
        guard kind != UInt8(ascii: "5") else { return bytes[start..<start] }
        // An extended header has its own size.
        let isHeader = [UInt8(ascii: "x"), UInt8(ascii: "g"), UInt8(ascii: "L")].contains(kind)
        var size = try number(124, 12)
        if !isHeader, let text = extended["size"] ?? common["size"] {
            guard let number = Int64(text) else { throw failure("The size \"\(text)\" is not a number") }
            size = number
        }
        guard size >= 0, size <= bytes.count - start else {
            throw failure(
                "The entry has \(size) bytes, and the archive only \(bytes.count - start) more: it was cut off"
            )
        }
        return bytes[start..<start + Int(size)]
    }

    private func name() throws -> String {
        var name = text(0, 100)
        // GNU's header, with a space after "ustar", has no prefix field at this offset.
        let isUstar = bytes[offset + 257..<offset + 263].elementsEqual("ustar\0".utf8)
        let prefix = isUstar ? text(345, 155) : ""
        if !prefix.isEmpty { name = prefix + "/" + name }
        name = extended["path"] ?? common["path"] ?? name
        while name.hasPrefix("./") { name.removeFirst(2) }
        guard !DirectoryFixture.leaves(name) else {
            throw failure("\"\(name)\" is not the name of a file in a directory")
        }
        return name
    }

    private func modified() throws -> Int64 {
        if let text = extended["mtime"] ?? common["mtime"] {
            guard let time = Self.nanoseconds(text) else { throw failure("The time \"\(text)\" is not a number") }
            return time
        }
        let (time, overflow) = try number(136, 12).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { throw failure("The time is beyond the year 2262") }
        return time
    }

    // MARK: Fields

    private func text(_ start: Int, _ length: Int) -> String {
        let field = bytes[offset + start..<offset + start + length]
        return String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Reads a number in octal digits, or in binary when the first bit is set, as GNU writes large ones.
    private func number(_ start: Int, _ length: Int) throws -> Int64 {
        let field = bytes[offset + start..<offset + start + length]
        if let first = field.first, first & 0x80 != 0 {
            var number: Int64 = first & 0x40 != 0 ? -1 : 0
            for (index, byte) in field.enumerated() {
                let (shifted, overflow) = number.multipliedReportingOverflow(by: index == 0 ? 64 : 256)
                guard !overflow else { throw failure("A number in the header is too large") }
                number = shifted | Int64(index == 0 ? byte & 0x3F : byte)
            }
            return number
        }
        let digits = text(start, length).trimmingCharacters(in: .whitespaces)
        guard let number = digits.isEmpty ? 0 : Int64(digits, radix: 8) else {
            throw failure("\"\(digits)\" in the header is not an octal number")
        }
        return number
    }

    /// Parses the records of an extended header: each is a length, a space, a name, an equals sign, a value and a line
    /// feed.
    private func records(_ content: ArraySlice<UInt8>) throws -> [String: String] {
        var records: [String: String] = [:]
        var rest = content
        while !rest.isEmpty {
            // The length counts the whole record.
            guard let space = rest.firstIndex(of: 0x20),
                let length = Int(String(decoding: rest[..<space], as: UTF8.self)),
                length > space - rest.startIndex + 1, length <= rest.count,
                rest[rest.startIndex + length - 1] == 0x0A,
                let equals = rest[space..<rest.startIndex + length].firstIndex(of: UInt8(ascii: "="))
            else { throw failure("The extended header is malformed") }
            let value = rest[(equals + 1)..<(rest.startIndex + length - 1)]
            records[String(decoding: rest[(space + 1)..<equals], as: UTF8.self)] = String(
                decoding: value,
                as: UTF8.self
            )
            rest = rest.dropFirst(length)
        }
        return records
    }

    /// Converts decimal seconds to nanoseconds, ignoring digits after the ninth.
    private static func nanoseconds(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.count > 1 ? parts[1].prefix(9) : ""
        let padded = digits + String(repeating: "0", count: 9 - digits.count)
        guard let seconds = Int64(parts[0]), padded.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let fraction = Int64(padded)
        else { return nil }
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (time, carry) = whole.addingReportingOverflow(text.hasPrefix("-") ? -fraction : fraction)
        return overflow || carry ? nil : time
    }

    private func failure(_ reason: String) -> TestingError {
        TestingError(.malformedFixture, "Byte \(min(offset, bytes.count)): \(reason).", file: file)
    }
}
