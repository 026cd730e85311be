import Foundation

/// The content of a setting as a record, in which steps change it, with the form in which the suite holds it.
package struct SettingContent {
    /// The content; an empty path is that of the whole content.
    package var record: Record
    package private(set) var form: SettingForm
    /// For ``SettingForm/jsonTexts``, the number of arrays and dictionaries around each text.
    private var depth = 1
    private let stored: PropertyListValue

    /// The reason why a value is in no form that can be read, without anything of the value.
    package struct Unreadable: Error {
        package var reason: String
    }

    /// Reads a value.
    ///
    /// - Parameter coding: The coders of JSON; property lists have their own.
    package init(
        _ stored: PropertyListValue,
        key: String = "",
        typeName: String = "",
        coding: RecordCoding = .standard
    ) throws(Unreadable) {
        self.stored = stored
        let json: [UInt8]
        switch stored {
        case .string(let text) where Self.looksLikeJSON(text):
            form = .jsonText
            json = try Self.checked(Array(text.utf8), "a string that begins like JSON text, but is not")
        case .data(let data):
            (form, json) = try Self.read(data)
        case .array, .dictionary:
            if let depth = Self.depthOfTexts(stored) {
                form = .jsonTexts
                self.depth = depth
                json = Self.joined(stored)
            } else {
                form = .native
                json = try Self.json(of: stored, hasNulls: false)
            }
        default:
            form = .native
            json = try Self.json(of: stored, hasNulls: false)
        }
        let coding: any ContentCoding = form.isPropertyList ? PropertyListCoding(hasNulls: form != .native) : coding
        do {
            record = try Record(key: key, typeName: typeName, json: json, coding: coding)
        } catch {
            throw Unreadable(reason: "a value that is nested too deep")
        }
        record.isSetting = true
    }

    // MARK: Reading

    /// A number or a word may be a plain string, too.
    private static func looksLikeJSON(_ text: String) -> Bool {
        switch text.utf8.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
        case 0x7B, 0x5B: true
        case 0x22: (try? JSONPart(text)) != nil
        default: false
        }
    }

    private static func checked(_ json: [UInt8], _ what: String) throws(Unreadable) -> [UInt8] {
        guard let fault = json.withUnsafeBufferPointer({ JSONScanner.fault(in: $0) }) else { return json }
        throw Unreadable(reason: "\(what): \(fault)")
    }

    private static func read(_ data: Data) throws(Unreadable) -> (SettingForm, [UInt8]) {
        let isBinary = data.starts(with: "bplist".utf8)
        guard isBinary || ["<?xml", "<!DOCTYPE plist", "<plist"].contains(where: { data.starts(with: $0.utf8) }) else {
            return (.jsonData, try checked(Array(data), "data that is neither JSON text nor a property list"))
        }
        guard PlainArchive(data) == nil else {
            throw Unreadable(reason: "a keyed archive, which only its app can read")
        }
        guard let list = try? PropertyListReader.value(data) else {
            throw Unreadable(reason: "a property list that is damaged, or holds what no suite can hold")
        }
        return (isBinary ? .binaryPropertyList : .xmlPropertyList, try json(of: list, hasNulls: true))
    }

    private static func json(of list: PropertyListValue, hasNulls: Bool) throws(Unreadable) -> [UInt8] {
        guard let value = list.json(hasNulls: hasNulls) else {
            throw Unreadable(reason: "a dictionary with a key that is reserved by Molt")
        }
        guard let json = try? value.json() else { throw Unreadable(reason: "a value that is nested too deep") }
        return json
    }

    /// The number of arrays and dictionaries around each JSON text; nil if there is no text, or something else.
    private static func depthOfTexts(_ value: PropertyListValue) -> Int? {
        var depths: Set<Int> = []
        func add(_ value: PropertyListValue, depth: Int) -> Bool {
            switch value {
            case .string(let text):
                depths.insert(depth)
                return looksLikeJSON(text) && (try? JSONPart(text)) != nil
            case .array(let elements): return elements.allSatisfy { add($0, depth: depth + 1) }
            case .dictionary(let members): return members.values.allSatisfy { add($0, depth: depth + 1) }
            default: return false
            }
        }
        return add(value, depth: 0) && depths.count == 1 ? depths.first : nil
    }

    /// The JSON of an array or dictionary of JSON texts, which stay as they are.
    private static func joined(_ value: PropertyListValue) -> [UInt8] {
        switch value {
        case .string(let text): return Array(text.utf8)
        case .array(let elements):
            return [0x5B] + elements.map(joined).joined(separator: [0x2C]) + [0x5D]
        case .dictionary(let members):
            let members = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { name, value in
                var member: [UInt8] = []
                JSONString.write(name, to: &member)
                return member + [0x3A] + joined(value)
            }
            return [0x7B] + members.joined(separator: [0x2C]) + [0x7D]
        default: return []
        }
    }

    // MARK: Writing

    /// The value that the suite is to hold; nil for null in its native form, which is that there is no value.
    ///
    /// - Throws: ``MoltError`` with the code `cannotStore` for content that the form cannot hold.
    func value() throws -> PropertyListValue? {
        if let data = record.data { return .data(data) }
        if form == .native, record[[]] == .null { return nil }
        var json: [UInt8] = []
        record.writeContent(to: &json)
        guard !form.isPropertyList else { return try propertyList(json) }
        guard !json.contains(PropertyListTag.opening) else {
            throw MoltError(
                .cannotStore,
                "JSON text cannot hold a date or data of a property list.",
                advice: "Choose another form of dates, or first change the setting's form with `changeForm`."
            )
        }
        let text = String(decoding: json, as: UTF8.self)
        switch form {
        case .jsonData: return .data(Data(json))
        case .jsonTexts: return try Self.split(JSONPart(text), depth: depth, stored)
        default: return .string(text)
        }
    }

    private func propertyList(_ json: [UInt8]) throws -> PropertyListValue {
        let value = try PropertyListValue(json: RecordValue(json: json), hasNulls: form != .native)
        switch form {
        case .binaryPropertyList: return .data(try PropertyListCoding.data(value, .binary))
        case .xmlPropertyList: return .data(try PropertyListCoding.data(value, .xml))
        default: return value
        }
    }

    /// Splits JSON into an array or dictionary of JSON texts.
    ///
    /// - Parameter former: The value in the same place before, whose texts stay as they were if their JSON did.
    private static func split(_ part: JSONPart, depth: Int, _ former: PropertyListValue?) throws -> PropertyListValue {
        guard depth > 0 else {
            let text = part.text
            if let old = former?.string, (try? JSONPart(old))?.text == text { return .string(old) }
            return .string(text)
        }
        if let elements = part.elements {
            // After a removal, the positions of former elements are unknown.
            let former = former?.array.flatMap { $0.count == elements.count ? $0 : nil }
            return .array(
                try elements.indices.map { try split(elements[$0], depth: depth - 1, former?[$0]) }
            )
        }
        guard let members = part.properties else {
            throw MoltError(
                .cannotStore,
                "The new value is \(part.kind.rawValue), which has no elements to store as JSON texts.",
                advice: "First change the setting's form with `changeForm`."
            )
        }
        var values: [String: PropertyListValue] = [:]
        for (name, member) in members {
            values[name] = try split(member, depth: depth - 1, former?.dictionary?[name])
        }
        return .dictionary(values)
    }

    /// The content of a property list; nil for JSON.
    var propertyList: PropertyListValue? {
        guard form.isPropertyList, let json = record[[]] else { return nil }
        return try? PropertyListValue(json: json, hasNulls: form != .native)
    }

    // MARK: Changing the form

    /// Changes the form; the content stays the same, except for dates, data and null.
    ///
    /// - Parameter dates: The form of dates in JSON.
    /// - Throws: ``MoltError`` with the code `cannotStore` for content that JSON cannot hold.
    mutating func changeForm(to newForm: SettingForm, dates: Record.DateForm) throws {
        guard newForm != form else { return }
        if form.isPropertyList, !newForm.isPropertyList {
            try record.replaceContent(with: Self.plain(record.content(), dates))
        } else {
            record.touch()
        }
        form = newForm
        depth = 1
    }

    /// A value in which dates have a form that JSON has, and data is Base64.
    private static func plain(_ value: RecordValue, _ dates: Record.DateForm) throws -> RecordValue {
        switch value {
        case .array(let elements): return .array(try elements.map { try plain($0, dates) })
        case .object(var object):
            if let data = PropertyListTag.data.value(in: value) { return data }
            if PropertyListTag.date.value(in: value) != nil {
                let json = Record.DateForm.propertyListDate.seconds(value).flatMap(dates.json)
                if let json { return try RecordValue(json: json.utf8) }
            }
            if object.properties.count == 1, PropertyListTag(rawValue: object.properties[0].name) != nil {
                throw MoltError(
                    .cannotStore,
                    "JSON cannot hold an infinite number, NaN, or a date far in the future or past."
                )
            }
            for index in object.properties.indices {
                object.properties[index].value = try plain(object.properties[index].value, dates)
            }
            return .object(object)
        default: return value
        }
    }
}
