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
    /// - Parameters:
    ///   - declaredForm: The form of a string, data, or an array or dictionary that may have several; by default, the
    ///     value shows it.
    ///   - coding: The coders of JSON; property lists have their own.
    package init(
        _ stored: PropertyListValue,
        key: String = "",
        typeName: String = "",
        in declaredForm: SettingForm? = nil,
        coding: RecordCoding = .standard
    ) throws(Unreadable) {
        self.stored = stored
        let json: [UInt8]
        switch stored {
        case .string(let text) where declaredForm == .jsonText || declaredForm != .native && Self.looksLikeJSON(text):
            form = .jsonText
            json = Array(text.utf8)
            if let fault = Self.fault(in: json) {
                throw Unreadable(reason: "a string with damaged JSON text: \(fault)")
            }
        case .data(let data) where declaredForm != .native:
            (form, json) = try Self.read(data)
        case .array where declaredForm != .native, .dictionary where declaredForm != .native:
            if let depth = try Self.depthOfTexts(stored, isDeclared: declaredForm == .jsonTexts) {
                form = .jsonTexts
                self.depth = depth
                json = Self.joined(stored)
            } else {
                form = .native
                json = try Self.json(of: stored, nulls: .omitted)
            }
        default:
            form = .native
            json = try Self.json(of: stored, nulls: .omitted)
        }
        let coding: any ContentCoding = form.isPropertyList ? PropertyListCoding() : coding
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

    private static func fault(in json: [UInt8]) -> JSONSyntaxError? {
        json.withUnsafeBufferPointer { JSONScanner.fault(in: $0) }
    }

    private static func read(_ data: Data) throws(Unreadable) -> (SettingForm, [UInt8]) {
        let isBinary = data.starts(with: "bplist".utf8)
        guard isBinary || ["<?xml", "<!DOCTYPE plist", "<plist"].contains(where: { data.starts(with: $0.utf8) }) else {
            let json = Array(data)
            guard fault(in: json) == nil else {
                throw Unreadable(reason: "data that is neither JSON text nor a property list")
            }
            return (.jsonData, json)
        }
        guard PlainArchive(data) == nil else {
            throw Unreadable(reason: "a keyed archive, which only its app can read")
        }
        guard let list = try? PropertyListReader.value(data) else {
            throw Unreadable(reason: "a property list that is damaged, or contains values that no suite can store")
        }
        return (isBinary ? .binaryPropertyList : .xmlPropertyList, try json(of: list, nulls: .text))
    }

    private static func json(of list: PropertyListValue, nulls: PropertyListValue.Nulls) throws(Unreadable) -> [UInt8] {
        guard let value = list.json(nulls: nulls) else {
            throw Unreadable(reason: "a string that begins like those that Molt reserves")
        }
        guard let json = try? value.json() else { throw Unreadable(reason: "a value that is nested too deep") }
        return json
    }

    /// The number of arrays and dictionaries around each JSON text; nil for a value that is not made of them.
    ///
    /// A number or a word counts as JSON text beside an object, an array or a string in quotes.
    ///
    /// - Parameter isDeclared: Whether numbers and words alone are JSON texts, too.
    /// - Throws: ``Unreadable`` for an array in which only some elements are JSON texts.
    private static func depthOfTexts(_ value: PropertyListValue, isDeclared: Bool) throws(Unreadable) -> Int? {
        var depths: Set<Int> = []
        var (hasText, hasOther) = (false, false)
        func add(_ value: PropertyListValue, depth: Int) {
            switch value {
            case .string(let text):
                depths.insert(depth)
                let isText = (try? JSONPart(text)) != nil
                hasText = hasText || isText && looksLikeJSON(text)
                hasOther = hasOther || !isText
            case .array(let elements): for element in elements { add(element, depth: depth + 1) }
            case .dictionary(let members): for member in members.values { add(member, depth: depth + 1) }
            default: hasOther = true
            }
        }
        add(value, depth: 0)
        guard hasText || isDeclared else { return nil }
        if !hasOther, depths.count == 1 { return depths.first }
        // In a dictionary, one property may be JSON text and others not.
        guard case .array(let elements) = value, elements.contains(where: { $0.string.map(looksLikeJSON) ?? false })
        else {
            return nil
        }
        throw Unreadable(reason: "an array in which only some elements are JSON text")
    }

    /// The JSON of an array or dictionary of JSON texts, which stay as they are.
    private static func joined(_ value: PropertyListValue) -> [UInt8] {
        switch value {
        case .string(let text): return Array(text.utf8)
        case .array(let elements):
            return [0x5B] + elements.map(joined).joined(separator: [0x2C]) + [0x5D]
        case .dictionary(let members):
            let members = members.sortedByUTF8.map { name, value in
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
    package func value() throws -> PropertyListValue? {
        if let data = record.data { return .data(data) }
        if form == .native, record[[]] == .null { return nil }
        let json = record.writtenContent
        guard !form.isPropertyList else { return try propertyList(json) }
        guard !json.contains(PropertyListTag.openingInJSON) else {
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
        let value = try PropertyListValue(json: RecordValue(json: json), nulls: form == .native ? .omitted : .text)
        switch form {
        case .binaryPropertyList: return .data(try Self.data(value, .binary))
        case .xmlPropertyList: return .data(try Self.data(value, .xml))
        default: return value
        }
    }

    /// A property list in data from which the same value is read.
    private static func data(
        _ value: PropertyListValue,
        _ format: PropertyListSerialization.PropertyListFormat
    ) throws -> Data {
        let data = try PropertyListCoding.data(value, format)
        if (try? PropertyListReader.value(data))?.withoutDates == value.withoutDates { return data }
        throw MoltError(
            .cannotStore,
            "A property list in data cannot hold the value.",
            advice: "Store it natively or as JSON."
        )
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
            return .array(try elements.indices.map { try split(elements[$0], depth: depth - 1, former?[$0]) })
        }
        guard let members = part.members else {
            throw MoltError(
                .cannotStore,
                "The new value is \(part.kind.rawValue), which has no elements to store as JSON texts.",
                advice: "First change the setting's form with `changeForm`."
            )
        }
        var values: [String: PropertyListValue] = [:]
        for (name, member) in members {
            let name = name.string ?? ""
            if let index = values.index(forKey: name), !ExactName.isSame(values[index].key, name) {
                throw PropertyListValue.sameName
            }
            values[name] = try split(member, depth: depth - 1, former?.dictionary?[name])
        }
        return .dictionary(values)
    }

    /// The content of a property list; nil for JSON.
    var propertyList: PropertyListValue? {
        guard form.isPropertyList, let json = record[[]] else { return nil }
        return try? PropertyListValue(json: json, nulls: form == .native ? .omitted : .text)
    }

    // MARK: Changing the form

    /// Changes the form; the content stays the same, except for dates, data and null.
    ///
    /// - Parameter dates: The form of dates in JSON.
    /// - Throws: ``MoltError`` with the code `cannotStore` for content that JSON cannot hold.
    package mutating func changeForm(to newForm: SettingForm, dates: Record.DateForm) throws {
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
        case .string(let text):
            switch PropertyListTag.read(text) {
            case nil: return value
            case (.data, let base64)?: return .string(base64)
            case (.date, _)?:
                let json = Record.DateForm.propertyListDate.seconds(value).flatMap(dates.json)
                if let json { return try RecordValue(json: json.utf8) }
                fallthrough
            case (.real, _)?:
                throw MoltError(
                    .cannotStore,
                    "JSON cannot hold an infinite number, NaN, or a date far in the future or past."
                )
            }
        case .object(var object):
            for index in object.properties.indices {
                object.properties[index].value = try plain(object.properties[index].value, dates)
            }
            return .object(object)
        default: return value
        }
    }
}

extension PropertyListValue {
    /// The value with the same date in place of all dates, which XML rounds to seconds.
    fileprivate var withoutDates: PropertyListValue {
        switch self {
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .array(let elements): .array(elements.map(\.withoutDates))
        case .dictionary(let members): .dictionary(members.mapValues(\.withoutDates))
        default: self
        }
    }
}
