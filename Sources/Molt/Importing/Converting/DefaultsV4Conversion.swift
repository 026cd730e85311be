internal import Foundation

/// Converts a value that Defaults 4 wrote to the form that Defaults 5 and later read.
///
/// Defaults 4 wrote everything except the simplest types as JSON strings. Since Defaults 5, containers and numbers are
/// native, and each Codable value inside them is a JSON string of its own. Codable values keep their original JSON
/// characters.
///
/// The conversion is idempotent. It also completes values that are native only in part, which an earlier release of
/// Defaults 5 may have left.
package struct DefaultsV4Conversion: Sendable {
    var target: DefaultsRelease

    /// - Parameter target: The release that reads the result.
    package init(target: DefaultsRelease = .latest) {
        self.target = target
    }

    /// Converts a stored value; one with an element that cannot be converted is not converted.
    package func convert(_ stored: PropertyListValue, as form: DefaultsForm) -> ConversionResult {
        var walk = DefaultsV4Walk(target: target)
        do throws(ConversionFailure) {
            let value = try walk.convert(.native(stored), as: form)
            return walk.isChanged ? .converted(value) : .alreadyCurrent
        } catch {
            return .notConvertible(reason: error.reason, path: error.path)
        }
    }
}

/// The state of one conversion while it traverses a value.
struct DefaultsV4Walk {
    /// A value, or a part of one: in native form, or as JSON text.
    enum Source {
        case native(PropertyListValue)
        case json(JSONPart)
    }

    private let target: DefaultsRelease
    private var path = ValuePath()
    /// Whether the result differs from the stored value.
    private(set) var isChanged = false

    init(target: DefaultsRelease) {
        self.target = target
    }

    mutating func convert(_ source: Source, as form: DefaultsForm) throws(ConversionFailure) -> PropertyListValue {
        if case .native(.string(let text)) = source {
            if case .string = form.kind { return .string(text) }
            return try convert(text: text, as: form)
        }
        switch form.kind {
        case .array(let element), .set(let element):
            guard let elements = source.elements else { throw mismatch(source, form) }
            return .array(try convert(elements, as: element))
        case .dictionary(let keys, let element):
            guard let entries = try entries(of: source, keys) else { throw mismatch(source, form) }
            return .dictionary(try convert(entries, keys, as: element))
        case .range(let bound, _):
            let isJSON = isStoredAsJSON(form)
            guard let bounds = source.elements, source.part != nil || !isJSON else { throw mismatch(source, form) }
            let range = try convertRange(bounds, as: bound)
            return if isJSON, let part = source.part { .string(part.text) } else { range }
        case .rawValue(let raw, let isKnown):
            let rawValue = try convert(source, as: raw)
            guard isKnown(rawValue) else { throw failure("not a raw value of its type") }
            return rawValue
        default:
            switch source {
            case .json(let part): return try convert(part, as: form)
            case .native(let value):
                try check(value, form)
                return value
            }
        }
    }

    /// Converts a string, which is JSON unless the value is already current.
    private mutating func convert(text: String, as form: DefaultsForm) throws(ConversionFailure) -> PropertyListValue {
        let stored = PropertyListValue.string(text)
        do {
            let value = try convert(.json(part(of: text)), as: form)
            guard !isStoredAsJSON(form), value != stored else { return stored }
            isChanged = true
            return value
        } catch {
            // Checked last: a type may accept any string as current, so valid JSON of its former form takes precedence.
            guard isCurrent(stored, form) else { throw error }
            return stored
        }
    }

    private func part(of text: String) throws(ConversionFailure) -> JSONPart {
        guard !text.isEmpty else { throw failure("an empty text") }
        do {
            return try JSONPart(text)
        } catch {
            throw failure("not JSON text: \(error.description)")
        }
    }

    // MARK: Containers

    private mutating func convert(
        _ elements: [Source],
        as form: DefaultsForm
    ) throws(ConversionFailure) -> [PropertyListValue] {
        var converted: [PropertyListValue] = []
        converted.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            converted.append(try convert(element, at: .index(index), as: form))
        }
        return converted
    }

    /// Converts a part at a place inside the current one.
    private mutating func convert(
        _ source: Source,
        at step: ValuePath.Step,
        as form: DefaultsForm
    ) throws(ConversionFailure) -> PropertyListValue {
        path.steps.append(step)
        defer { path.steps.removeLast() }
        return try convert(source, as: form)
    }

    private mutating func convertRange(
        _ bounds: [Source],
        as form: DefaultsForm
    ) throws(ConversionFailure) -> PropertyListValue {
        guard bounds.count == 2 else { throw failure("\(bounds.count) elements, where two bounds were expected") }
        let values = try convert(bounds, as: form)
        guard values[0].isInOrder(with: values[1]) else { throw failure("bounds in the wrong order") }
        return .array(values)
    }

    private mutating func convert(
        _ entries: [(name: String, value: Source)],
        _ keys: DefaultsForm.Key,
        as form: DefaultsForm
    ) throws(ConversionFailure) -> [String: PropertyListValue] {
        var converted: [String: PropertyListValue] = [:]
        for (name, value) in entries {
            guard let key = keys.text(name) else {
                throw failure("its key does not have the type of the dictionary's keys", at: .key(name))
            }
            // The keys of a native dictionary stay as they are.
            converted[value.part == nil ? name : key] = try convert(value, at: .key(name), as: form)
        }
        return converted
    }

    /// The entries of a dictionary, an object, or an array of alternating keys and values (for keys other than `String`
    /// and `Int`); nil for anything else.
    private func entries(
        of source: Source,
        _ keys: DefaultsForm.Key
    ) throws(ConversionFailure) -> [(name: String, value: Source)]? {
        switch source {
        case .native(let value):
            return value.dictionary?.sortedByKey.map { ($0.key, .native($0.value)) }
        case .json(let part):
            if let properties = part.properties { return properties.map { ($0.name, .json($0.value)) } }
            guard keys.mayAlternate, let elements = part.elements else { return nil }
            guard elements.count.isMultiple(of: 2) else {
                throw failure("a key without a value", at: .index(elements.count - 1))
            }
            return stride(from: 0, to: elements.count, by: 2).map { index in
                (elements[index].string ?? elements[index].text, .json(elements[index + 1]))
            }
        }
    }

    // MARK: Scalars

    private func convert(_ part: JSONPart, as form: DefaultsForm) throws(ConversionFailure) -> PropertyListValue {
        switch form.kind {
        case .bool:
            if let value = part.bool { return .bool(value) }
        case .integer(let min, let max):
            if part.kind == .number { return try wholeNumber(part.text, min: min, max: max) }
        case .float:
            if part.kind == .number { return .double(Double(try finite(Float(part.text)))) }
        case .double:
            if part.kind == .number { return .double(try finite(Double(part.text))) }
        case .date:
            if part.kind == .number {
                return .date(Date(timeIntervalSinceReferenceDate: try finite(Double(part.text))))
            }
        case .decimal:
            if part.kind == .number {
                guard Decimal(string: part.text) != nil else { throw beyondLimits() }
                return .string(part.text)
            }
        case .string:
            if let text = part.string { return .string(text) }
        case .data:
            if let text = part.string {
                guard let data = Data(base64Encoded: text) else { throw failure("a string that is not base64") }
                return .data(data)
            }
        case .url:
            if let text = part.string {
                guard URL(string: text) != nil else { throw failure("a string that is not a URL") }
                return .string(part.text)
            }
        case .uuid:
            if let text = part.string {
                guard UUID(uuidString: text) != nil else { throw failure("a string that is not a UUID") }
                return .string(isStoredAsJSON(form) ? part.text : text)
            }
        case .codable:
            if part.kind != .null { return .string(part.text) }
        case .decoded(let convert, let isCurrent):
            if part.kind != .null {
                let value = try calling { try convert(part.utf8) }
                guard isCurrent(value) else { throw failure("the converted value cannot be read") }
                return value
            }
        case .rawValue, .array, .set, .dictionary, .range, .keyedArchive:
            break
        }
        throw mismatch(.json(part), form)
    }

    /// Has a type decode the value; errors contain no values.
    private func calling<Value>(_ body: () throws -> Value) throws(ConversionFailure) -> Value {
        do {
            return try body()
        } catch let error as NoCodableForm {
            throw failure(error.description)
        } catch let error as MoltError where error.code == .typeMismatch {
            let path = error.valuePath.map { ", at \($0)" } ?? ""
            throw failure("the stored value does not have the form of its type\(path)")
        } catch {
            throw failure("its type cannot read it: \(ErrorSummary.line(of: error))")
        }
    }

    /// The integer that a JSON number denotes: `100`, `1e2` and `100.0` are the same.
    private func wholeNumber(_ text: String, min: Int64, max: UInt64) throws(ConversionFailure) -> PropertyListValue {
        let digits = Int64(text) == nil && UInt64(text) == nil ? Decimal(string: text)?.description ?? "" : text
        guard !digits.contains(".") else { throw failure("a number that is not whole") }
        if let value = Int64(digits), value >= min, value < 0 || UInt64(value) <= max { return .int(value) }
        if let value = UInt64(digits), value > Int64.max, value <= max { return .unsigned(value) }
        throw beyondLimits()
    }

    private func finite<Number: FloatingPoint>(_ number: Number?) throws(ConversionFailure) -> Number {
        guard let number, number.isFinite else { throw beyondLimits() }
        return number
    }

    // MARK: Native values

    /// Checks that a native value, neither a string nor a container, has the form or can be read as it.
    private func check(_ value: PropertyListValue, _ form: DefaultsForm) throws(ConversionFailure) {
        if case (.keyedArchive, .data(let data)) = (form.kind, value) { return try check(archive: data) }
        guard isCurrent(value, form) else { throw mismatch(.native(value), form) }
    }

    func check(archive data: Data) throws(ConversionFailure) {
        if !KeyedArchive.isArchive(data) { throw failure("data that is not a keyed archive") }
    }

    /// Whether a native value, no container nor a string of JSON, already has the form or can be read as it.
    private func isCurrent(_ value: PropertyListValue, _ form: DefaultsForm) -> Bool {
        switch (form.kind, value) {
        case (.bool, .bool), (.bool, .int(0)), (.bool, .int(1)), (.date, .date), (.data, .data),
            (.double, .double), (.double, .int), (.double, .unsigned), (.float, .int),
            (.float, .unsigned):
            true
        case (.float, .double(let value)): !value.isFinite || Float(value).isFinite
        case (.integer(let min, let max), .int(let value)): value >= min && (value < 0 || UInt64(value) <= max)
        case (.integer(_, let max), .unsigned(let value)): value <= max
        case (.integer(let min, let max), .double(let value)):
            Int64(exactly: value).map { $0 >= min && ($0 < 0 || UInt64($0) <= max) }
                ?? UInt64(exactly: value).map { $0 <= max } ?? false
        case (.uuid, .string(let text)): !isStoredAsJSON(form) && UUID(uuidString: text) != nil
        case (.codable(let isRawValue), _): isRawValue(value)
        case (.rawValue(_, let isKnown), _): isKnown(value)
        case (.decoded(_, let isCurrent), _): isCurrent(value)
        default: false
        }
    }

    /// Whether a value keeps the JSON text that Defaults 4 wrote.
    private func isStoredAsJSON(_ form: DefaultsForm) -> Bool {
        switch form.kind {
        case .url, .decimal, .codable: true
        case .rawValue(let raw, _): isStoredAsJSON(raw)
        case .uuid: target < .v6dot2
        case .range: target < .v6dot3
        default: false
        }
    }

    // MARK: Failures

    private func failure(_ reason: String, at step: ValuePath.Step? = nil) -> ConversionFailure {
        ConversionFailure(reason: reason, path: ValuePath(path.steps + [step].compactMap(\.self)))
    }

    private func mismatch(_ source: Source, _ form: DefaultsForm) -> ConversionFailure {
        switch (form.kind, source) {
        case (.integer, .native(.int)), (.integer, .native(.unsigned)), (.float, .native(.double)): beyondLimits()
        default: failure("\(source.kindName), where \(form.kindName) was expected")
        }
    }

    private func beyondLimits() -> ConversionFailure {
        failure("a number beyond the limits of its type")
    }
}

extension DefaultsV4Walk.Source {
    /// The JSON text; nil for a native value.
    fileprivate var part: JSONPart? {
        if case .json(let part) = self { part } else { nil }
    }

    /// The elements of an array; nil for anything else.
    fileprivate var elements: [Self]? {
        switch self {
        case .native(let value): value.array?.map { .native($0) }
        case .json(let part): part.elements?.map { .json($0) }
        }
    }

    fileprivate var kindName: String {
        switch self {
        case .native(let value): value.kindName
        case .json(let part): part.kind.rawValue
        }
    }
}

extension PropertyListValue {
    /// Whether this value may be the lower bound of a range to `upper`; true if the values' order is not known here.
    fileprivate func isInOrder(with upper: PropertyListValue) -> Bool {
        switch (self, upper) {
        case (.int(let lower), .int(let upper)): lower <= upper
        case (.unsigned(let lower), .unsigned(let upper)): lower <= upper
        case (.unsigned, .int): false
        case (.double(let lower), .double(let upper)): lower <= upper
        case (.date(let lower), .date(let upper)): lower <= upper
        case (.string(let lower), .string(let upper)): lower <= upper
        default: true
        }
    }
}

/// The release of Defaults that reads the settings after their conversion.
///
/// Only releases that changed the form of a type have a case; a release between two of them reads the earlier form.
/// Earlier releases compare as less.
public enum DefaultsRelease: Comparable, Sendable {
    /// 5.0: containers are native, and Codable values inside them are JSON strings.
    case v5
    /// 6.2: as 5, but a UUID is stored as its string, without quotes.
    case v6dot2
    /// 6.3 and later: as 6.2, but a range is stored as an array of its two bounds.
    case v6dot3

    /// The form that the latest Defaults and Molt's typed keys read.
    public static let latest = DefaultsRelease.v6dot3

    var identity: String {
        switch self {
        case .v5: "5"
        case .v6dot2: "6.2"
        case .v6dot3: "6.3"
        }
    }
}
