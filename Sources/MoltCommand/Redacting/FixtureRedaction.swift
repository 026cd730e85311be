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
    ///
    /// - Throws: ``CommandError`` for a setting in a form in which nothing can be replaced.
    mutating func redacted(_ fixture: StoreFixture) throws -> StoreFixture {
        var fixture = fixture.withoutTimes()
        // First, because keys must stay different, whatever their form, and numbers depend on them.
        for record in fixture.records { _ = texts.replacement(forKey: record.key) }
        for index in fixture.records.indices { redact(&fixture.records[index]) }
        for suite in fixture.suites.keys.sorted(by: { $0.attachedName < $1.attachedName }) {
            for (key, value) in (fixture.suites[suite] ?? [:]).sorted(by: { $0.key < $1.key }) {
                let place = literals.place(ofSetting: key, in: suite)
                fixture.suites[suite]?[key] = try redacted(value, of: key, at: "", place)
            }
        }
        return fixture
    }

    private mutating func redact(_ record: inout StoreFixture.Record) {
        record.key = texts.replacement(forKey: record.key)
        record.expiration = record.expiration.map { $0 > Date() ? Self.expiry.future : Self.expiry.past }
        if record.content.isData {
            record.content.bytes = Array(repeating: 0, count: record.content.bytes.count)
        } else if let text = String(utf8: record.content.bytes),
            let redacted = redactedJSON(text, of: record.typeName, PropertyPlace(.records(ofType: record.typeName)))
        {
            record.content.bytes = Array(redacted.utf8)
        } else {
            record.content.bytes = RedactedText.ofBytes(record.content.bytes)
        }
    }

    // MARK: JSON

    /// The JSON text with other values; nil if it is not JSON.
    private mutating func redactedJSON(
        _ text: String,
        of name: String,
        at path: String = "",
        _ place: PropertyPlace
    ) -> String? {
        // The error does not matter: the caller treats the text as bytes.
        guard let part = try? JSONPart(text) else { return nil }
        var edits: [(range: Range<Int>, text: String)] = []
        redact(part, of: name, at: path, place, &edits)
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

    /// - Parameter name: The name of the type, or the key of the setting.
    private mutating func redact(
        _ part: JSONPart,
        of owner: String,
        at path: String,
        _ place: PropertyPlace,
        _ edits: inout [(range: Range<Int>, text: String)]
    ) {
        guard !keeps(path, of: owner), !literals.contains(part, at: place) else { return }
        let range = part.offset..<part.offset + part.utf8.count
        switch part.kind {
        case .string:
            if literals.isJSONText(at: place), let text = part.string,
                let json = redactedJSON(text, of: owner, at: path, place)
            {
                return edits.append((range, RecordValue.string(json).description))
            }
            edits.append((range, RecordValue.string(texts.replacement(for: part.string ?? "")).description))
        case .number: edits.append((range, texts.replacement(forNumber: part.text, isKey: literals.isKey(at: place))))
        case .null, .bool: break
        case .array:
            for element in part.elements ?? [] {
                redact(element, of: owner, at: "\(path)[]", place.inside(nil), &edits)
            }
        case .object:
            for (name, value) in part.members ?? [] {
                let name = name.string ?? ""
                redact(value, of: owner, at: PropertyNotation.path(name, in: path), place.inside(name), &edits)
            }
        }
    }
}

// MARK: Settings

extension FixtureRedaction {
    /// A value of a setting, or a part of one, with other values in the same form.
    fileprivate mutating func redacted(
        _ value: PropertyListValue,
        of key: String,
        at path: String,
        _ place: PropertyPlace
    ) throws -> PropertyListValue {
        guard !keeps(path, of: key) else { return value }
        switch value {
        case .bool:
            return value
        case .string(let text):
            if text.first == "{" || text.first == "[", let json = redactedJSON(text, of: key, at: path, place) {
                return .string(json)
            }
            let isNamed = (try? JSONPart(RecordValue.string(text).description)).map { literals.contains($0, at: place) }
            return isNamed == true ? value : .string(texts.replacement(for: text))
        case .int(let number): return .int(Int64(self.number("\(number)", place)) ?? 0)
        case .unsigned(let number): return .unsigned(UInt64(self.number("\(number)", place)) ?? 0)
        case .double(let number):
            return .double(number.isFinite ? Double(self.number("\(number)", place)) ?? 0 : number)
        case .date(let date):
            // A date beyond the calendar, as 1e300 seconds, has no digits to replace.
            guard let seconds = Int64(exactly: date.timeIntervalSinceReferenceDate.rounded(.towardZero)) else {
                return .date(Date(timeIntervalSinceReferenceDate: 0))
            }
            return .date(Date(timeIntervalSinceReferenceDate: Double(number("\(seconds)", place)) ?? 0))
        case .data(let data):
            if let text = String(utf8: Array(data)), let json = redactedJSON(text, of: key, at: path, place) {
                return .data(Data(json.utf8))
            }
            guard !data.starts(with: "bplist".utf8), !data.starts(with: "<?xml".utf8) else {
                throw CommandError(
                    "--redact cannot replace values in the setting \"\(key)\", a property list or an archive in data. "
                        + "Remove it from the fixture first"
                )
            }
            return .data(Data(count: data.count))
        case .array(let elements):
            return .array(try elements.map { try redacted($0, of: key, at: "\(path)[]", place.inside(nil)) })
        case .dictionary(let members):
            var redactedMembers: [String: PropertyListValue] = [:]
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                let path = PropertyNotation.path(name, in: path)
                redactedMembers[name] = try redacted(member, of: key, at: path, place.inside(name))
            }
            return .dictionary(redactedMembers)
        }
    }

    private mutating func number(_ text: String, _ place: PropertyPlace) -> String {
        guard let part = try? JSONPart(text), !literals.contains(part, at: place) else { return text }
        return texts.replacement(forNumber: text, isKey: false)
    }

    /// Whether the value of a property is to be kept.
    fileprivate mutating func keeps(_ path: String, of owner: String) -> Bool {
        let name = PropertyNotation.name(path, of: owner)
        guard kept.contains(name) else { return false }
        matched.insert(name)
        return true
    }
}

extension PropertyNotation {
    /// The name of a property of a type or setting, such as "Person.status", or "Array<Person>[].status".
    static func name(_ path: String, of type: String) -> String {
        path.isEmpty || path.hasPrefix("[") ? type + path : "\(type).\(path)"
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
