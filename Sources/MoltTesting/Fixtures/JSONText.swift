internal import Foundation
internal import Molt

/// JSON text of a value, without white space.
struct JSONText {
    let text: String

    /// JSON text that can be written indented: reading restores the bytes, and the nesting is not too deep.
    init?(inlining bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        // The error's details do not matter here.
        guard let text = String(utf8: bytes), (try? JSONPart(text)) != nil, JSONLayout.minified(bytes) == bytes,
            JSONLayout.nesting(of: bytes) <= 64
        else { return nil }
        self.text = text
    }

    private init(text: String) {
        self.text = text
    }

    /// JSON text that is known to be valid.
    static func raw(_ text: String) -> JSONText {
        JSONText(text: text)
    }

    // MARK: Containers

    /// An object with members in this order; members that are nil are left out.
    static func object(_ members: [(name: String, value: JSONText?)]) -> JSONText {
        let texts = members.compactMap { name, value in value.map { "\(string(name).text):\($0.text)" } }
        return raw("{\(texts.joined(separator: ","))}")
    }

    static func array(_ elements: [JSONText]) -> JSONText {
        raw("[\(elements.map(\.text).joined(separator: ","))]")
    }

    // MARK: Scalars

    static func string(_ string: String) -> JSONText {
        raw(RecordValue.string(string).description)
    }

    static func integer(_ integer: some FixedWidthInteger) -> JSONText {
        raw("\(integer)")
    }

    static func bool(_ bool: Bool) -> JSONText {
        raw(bool ? "true" : "false")
    }

    /// The shortest digits that parse to the same number.
    static func double(_ double: Double) -> JSONText {
        guard double.isFinite else { return string(double.isNaN ? "nan" : double < 0 ? "-inf" : "inf") }
        let digits = "\(double)"
        return raw(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
    }

    static func date(_ date: Date) -> JSONText {
        let seconds = date.timeIntervalSince1970
        guard Date(timeIntervalSince1970: seconds) != date, !seconds.isNaN else { return double(seconds) }
        // Seconds since 2001 preserve dates that were never in a store and need more precision.
        return object([("since2001", double(date.timeIntervalSinceReferenceDate))])
    }

    static func base64(_ data: Data) -> JSONText {
        string(data.base64EncodedString())
    }
}
