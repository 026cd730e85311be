import Foundation
import Molt
import MoltTesting

/// Replaces the private values in a fixture, and keeps what migrations depend on.
struct FixtureRedaction {
    /// The expiry of records that will expire, late enough for every test, and of those that have expired.
    static let expiry = (
        future: Date(timeIntervalSince1970: 4_102_444_800), past: Date(timeIntervalSince1970: 946_684_800)
    )

    /// The properties whose values stay, as "Person.status".
    private let kept: Set<String>
    /// The properties among them that a record had.
    private(set) var matched: Set<String> = []
    private let literals: RegistryLiterals
    private var texts: RedactedTexts

    init(keeping kept: Set<String>, and literals: RegistryLiterals) {
        self.kept = kept
        self.literals = literals
        texts = RedactedTexts(keeping: literals)
    }

    /// The fixture without private values; the ledger's times and counts are left out, too.
    mutating func redacted(_ fixture: StoreFixture) -> StoreFixture {
        var fixture = fixture.withoutTimes()
        // First, because keys must stay different, whatever their form, and numbers depend on them.
        for record in fixture.records { _ = texts.replacement(forKey: record.key) }
        for index in fixture.records.indices { redact(&fixture.records[index]) }
        return fixture
    }

    private mutating func redact(_ record: inout StoreFixture.Record) {
        record.key = texts.replacement(forKey: record.key)
        record.expiration = record.expiration.map { $0 > Date() ? Self.expiry.future : Self.expiry.past }
        if record.content.isData {
            record.content.bytes = Array(repeating: 0, count: record.content.bytes.count)
        } else if let text = String(utf8: record.content.bytes),
            let redacted = redactedJSON(text, of: record.typeName)
        {
            record.content.bytes = Array(redacted.utf8)
        } else {
            record.content.bytes = RedactedText.ofBytes(record.content.bytes)
        }
    }

    // MARK: JSON

    /// The JSON text with other values; nil if it is not JSON.
    private mutating func redactedJSON(_ text: String, of type: String) -> String? {
        // The error does not matter: the caller treats the text as bytes.
        guard let part = try? JSONPart(text) else { return nil }
        var edits: [(range: Range<Int>, text: String)] = []
        redact(part, at: "", PropertyPlace(.records(ofType: type)), &edits)
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var end = 0
        for (range, text) in edits {
            result += bytes[end..<range.lowerBound]
            result += text.utf8
            end = range.upperBound
        }
        result += bytes[end...]
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func redact(
        _ part: JSONPart,
        at path: String,
        _ place: PropertyPlace,
        _ edits: inout [(range: Range<Int>, text: String)]
    ) {
        let name = PropertyNotation.name(path, of: place.place.type?.text ?? "")
        guard !kept.contains(name) else {
            matched.insert(name)
            return
        }
        guard !literals.contains(part, at: place) else { return }
        let range = part.offset..<part.offset + part.utf8.count
        switch part.kind {
        case .string:
            edits.append((range, RecordValue.string(texts.replacement(for: part.string ?? "")).description))
        case .number: edits.append((range, texts.replacement(forNumber: part.text, isKey: literals.isKey(at: place))))
        case .null, .bool: break
        case .array:
            for element in part.elements ?? [] { redact(element, at: "\(path)[]", place.inside(nil), &edits) }
        case .object:
            for (name, value) in part.members ?? [] {
                let name = name.string ?? ""
                redact(value, at: PropertyNotation.path(name, in: path), place.inside(name), &edits)
            }
        }
    }
}

extension PropertyNotation {
    /// The name of a property of a type, such as "Person.status", or "Array<Person>[].status".
    static func name(_ path: String, of type: String) -> String {
        path.hasPrefix("[") ? type + path : "\(type).\(path)"
    }
}

extension PropertyPlace {
    /// The place of a member of the value, or of an element, which has no name.
    fileprivate func inside(_ name: String?) -> PropertyPlace {
        var place = self
        place.names.append(name.map(ExactName.init))
        return place
    }
}
