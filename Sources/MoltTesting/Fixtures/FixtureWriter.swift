internal import Foundation

/// Writes JSON text without white space.
struct FixtureWriter {
    private(set) var bytes: [UInt8] = []

    // MARK: Containers

    mutating func object(_ body: (inout FixtureWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        body(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    mutating func array(_ body: (inout FixtureWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "["))
        body(&self)
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes a member's name; its value must follow.
    mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    // MARK: Scalars

    mutating func string(_ string: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += "\\n".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case 0..<0x20: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func integer(_ integer: some FixedWidthInteger) {
        raw("\(integer)".utf8)
    }

    mutating func bool(_ bool: Bool) {
        raw((bool ? "true" : "false").utf8)
    }

    /// Writes the shortest digits that parse to the same number.
    mutating func double(_ double: Double) {
        guard double.isFinite else { return string(double.isNaN ? "nan" : double < 0 ? "-inf" : "inf") }
        let digits = "\(double)"
        raw((digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits).utf8)
    }

    mutating func date(_ date: Date) {
        let seconds = date.timeIntervalSince1970
        guard Date(timeIntervalSince1970: seconds) != date, !seconds.isNaN else { return double(seconds) }
        // Seconds since 2001 preserve dates that were never in a store and need more precision.
        object { writer in
            writer.name("since2001")
            writer.double(date.timeIntervalSinceReferenceDate)
        }
    }

    /// Writes JSON text without white space.
    mutating func raw(_ text: some Sequence<UInt8>) {
        separate()
        bytes += text
    }

    private mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }
}
