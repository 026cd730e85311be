extension Record {
    /// What happens to a value for which a change has no new value.
    public enum OtherValue: Equatable, Sendable {
        /// It is kept.
        case keep
        /// The record cannot be converted; the code is `typeMismatch`.
        case fail
        /// It is replaced, too.
        case value(RecordValue)
        /// The property, or the element of an array, is removed; for the empty path, the record or the setting is.
        case remove
    }

    /// Replaces the value of a property with another one.
    ///
    /// ```swift
    /// try order.mapValue("status", ["open": "active", "done": "archived"], otherwise: .fail)
    /// ```
    ///
    /// The rules are those of ``MigrationStep/mapValue(_:_:_:otherwise:ifMissing:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that is not named.
    public mutating func mapValue(
        _ path: PropertyPath,
        _ values: [RecordValue: RecordValue],
        otherwise other: OtherValue = .keep
    ) throws {
        let named = ValueMap(values, otherwise: other, at: path)
        let map = isSetting ? named.ofSettings : named
        if map.isTooDeep { throw tooDeep(path) }
        try replaceValue(path, ifMissing: requirement(of: [path]), map.change)
    }

    /// Replaces the value of a property, or the values of elements, with what a closure returns.
    mutating func replaceValue(
        _ path: PropertyPath,
        ifMissing: Record.MissingProperty,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> ValueChange
    ) throws {
        try changeRecordOrElements(at: [path], ifMissing: ifMissing) { record, paths in
            guard let change = try record.withValue(at: paths[0], body) else { return false }
            try record.apply(change, at: paths[0])
            return true
        }
    }

    /// Converts the value of a property, or the values of elements.
    mutating func replaceValue(
        _ path: PropertyPath,
        ifMissing: Record.MissingProperty,
        _ conversion: ValueConversion,
        otherwise other: OtherJSON
    ) throws {
        let depth = full(path).count
        try replaceValue(path, ifMissing: ifMissing) { conversion.change(of: $0, depth: depth, otherwise: other) }
    }

    @inline(never)
    private mutating func apply(_ change: ValueChange, at path: PropertyPath) throws {
        switch change {
        case .kept: break
        case .new(let json): try put(json, at: path)
        case .removed where path.count == 0: drop()
        case .removed: try remove(path, ifMissing: .skip)
        case .failed(let problem, let advice):
            let full = full(path)
            let whole = isSetting ? "The setting \"\(key)\"" : "The content"
            let subject = full.count == 0 ? whole : "The property \"\(full)\""
            throw error(.typeMismatch, "\(subject) \(problem).", advice: advice, property: path)
        }
    }
}

enum ValueChange: Sendable {
    case kept
    /// It is replaced by JSON.
    case new([UInt8])
    case removed
    /// It cannot be converted; the text says why, after the property's name.
    case failed(String, advice: String? = nil)
}

/// ``Record/OtherValue`` with its value as JSON.
enum OtherJSON: Equatable, Sendable {
    case keep
    case fail
    case remove
    case value([UInt8])
    /// A value that is nested too deeply for its path.
    case tooDeep

    init(_ other: Record.OtherValue, at path: PropertyPath) {
        self =
            switch other {
            case .keep: .keep
            case .fail: .fail
            case .remove: .remove
            case .value(let value): value.json(within: [path]).map { .value($0) } ?? .tooDeep
            }
    }

    var identity: [String] {
        switch self {
        case .keep: ["keep"]
        case .fail: ["fail"]
        case .remove: ["remove"]
        case .value(let json): ["value", String(decoding: json, as: UTF8.self)]
        case .tooDeep: ["tooDeep"]
        }
    }

    /// Whether a value may be lost.
    var isLossy: Bool { self != .keep && self != .fail }

    /// What to do about a value that fails a step without a failure policy.
    fileprivate static let advice =
        "Accept such values with `onFailure(.quarantine(upTo:))`, choose another `otherwise`, or use a closure."

    /// The same for a document, which no policy quarantines.
    fileprivate static let documentAdvice = "Choose another `otherwise`, or use a closure."

    /// What to do about a date in another form: if all have it, no policy helps.
    fileprivate static let dateAdvice =
        "Name in `from:` the form that the app's coder had. Accept single dates in another form with "
        + "`onFailure(.quarantine(upTo:))` or another `otherwise`."

    fileprivate static let documentDateAdvice =
        "Name in `from:` the form that the app's coder had, or choose another `otherwise`."

    func change(_ problem: String, advice: String = OtherJSON.advice) -> ValueChange {
        switch self {
        case .keep, .tooDeep: .kept
        case .fail: .failed(problem, advice: advice)
        case .remove: .removed
        case .value(let json): .new(json)
        }
    }
}

extension MoltError {
    /// The error for a step with a failure policy, which accepts such values.
    var underPolicy: MoltError {
        var error = self
        if advice == OtherJSON.advice || advice == OtherJSON.dateAdvice { error.advice = nil }
        return error
    }

    /// The error for a document, for which the failure policy of a step means nothing.
    var ofDocument: MoltError {
        var error = self
        if advice == OtherJSON.advice { error.advice = OtherJSON.documentAdvice }
        if advice == OtherJSON.dateAdvice { error.advice = OtherJSON.documentDateAdvice }
        return error
    }
}

/// A map from old to new values, as JSON.
struct ValueMap: Sendable {
    /// The old values, sorted, with the properties of their objects in the order of names, and the new ones.
    private let pairs: [(old: [UInt8], new: [UInt8])]
    let other: OtherJSON
    private let otherChange: ValueChange
    /// Whether a new value is nested too deeply for the path.
    let isTooDeep: Bool
    /// Whether the values are those of a setting, in which a whole number may be written as 1.0.
    private var isOfSetting = false

    init(_ values: [RecordValue: RecordValue], otherwise other: Record.OtherValue, at path: PropertyPath) {
        self.other = OtherJSON(other, at: path)
        otherChange = self.other.change("has a value that the step does not name")
        var isTooDeep = self.other == .tooDeep
        pairs = values.compactMap { old, new in
            // An old value that is nested too deeply is in no record.
            guard let old = old.sorted.json(within: [path]) else { return nil }
            let new = new.json(within: [path])
            if new == nil { isTooDeep = true }
            return (old, new ?? [])
        }.ordered { $0.old.lexicographicallyPrecedes($1.old) }
        self.isTooDeep = isTooDeep
    }

    /// The old values, then the new ones.
    var values: [String] {
        (pairs.map(\.old) + pairs.map(\.new)).map { String(decoding: $0, as: UTF8.self) }
    }

    var identity: [String] { [String(pairs.count)] + values + other.identity }

    /// Whether it has other values than strings and integers, which alone are keys of dictionaries.
    var hasOtherThanKeys: Bool {
        var values = pairs.flatMap { [$0.old, $0.new] }
        if case .value(let json) = other { values.append(json) }
        return values.contains { json in
            json.first != 0x22 && RecordValue.Number(text: String(decoding: json, as: UTF8.self))?.isInteger != true
        }
    }

    /// Whether it names a key of an object twice, as a string and as an integer.
    var namesKeyTwice: Bool {
        pairs.contains { pair in isNamed(Array("\"\(String(decoding: pair.old, as: UTF8.self))\"".utf8)) }
    }

    /// Whether no record is changed, whatever its value.
    var isEmpty: Bool { pairs.isEmpty && other == .keep }

    /// Whether several of the named values become one, or another value may be lost.
    var isLossy: Bool { other.isLossy || Set(pairs.map(\.new)).count < pairs.count }

    /// Whether the old values contain one that is written like this.
    func isNamed(_ json: [UInt8]) -> Bool { pairs.contains { $0.old == json } }

    /// Whether a value that it left as it is is neither one of the new values nor null.
    func isForeign(_ value: RecordValue) -> Bool {
        !value.isNull
            && !pairs.contains { pair in
                pair.new.withUnsafeBufferPointer { RecordValue(checked: $0).sorted == value.sorted }
            }
    }

    var ofSettings: ValueMap {
        var map = self
        map.isOfSetting = true
        return map
    }

    /// Whether it names a value.
    func names(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if case .new = change(of: bytes) { true } else { false }
    }

    func change(of bytes: UnsafeBufferPointer<UInt8>) -> ValueChange {
        if let pair = pairs.first(where: { $0.old.elementsEqual(bytes) }) { return .new(pair.new) }
        // The same string, array or object may have other escapes, white space or order.
        if bytes.contains(0x5C) || bytes.first == 0x5B || bytes.first == 0x7B,
            let sorted = try? RecordValue(checked: bytes).sorted.json(),
            let pair = pairs.first(where: { $0.old == sorted })
        {
            return .new(pair.new)
        }
        // No literal is written like this, so that a whole number of a property list could not be named otherwise.
        if isOfSetting, bytes.suffix(2).elementsEqual(".0".utf8),
            let pair = pairs.first(where: { $0.old.elementsEqual(bytes.dropLast(2)) })
        {
            return .new(pair.new)
        }
        return bytes.elementsEqual("null".utf8) ? .kept : otherChange
    }
}

extension Record {
    /// A kind of value to which strings, numbers and Booleans can be changed.
    public enum ScalarKind: Sendable {
        /// `36` becomes `"36"`, and `true` becomes `"true"`.
        case string
        /// `"36"`, `36.0` and `3.6e1` become `36`; `true` becomes `1`, and `false` becomes `0`.
        case integer
        /// `"36.50"` becomes `36.50`; `true` becomes `1`, and `false` becomes `0`.
        case number
        /// `"true"`, `"1"` and `1` become `true`; `"false"`, `"0"` and `0` become `false`.
        case bool
    }

    /// Changes the kind of a property's value.
    ///
    /// ```swift
    /// try person.changeValue("age", to: .integer)
    /// ```
    ///
    /// The rules are those of ``MigrationStep/changeValue(_:_:to:otherwise:ifMissing:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that cannot be changed.
    public mutating func changeValue(
        _ path: PropertyPath,
        to kind: ScalarKind,
        otherwise other: OtherValue = .fail
    ) throws {
        try convert(path, .kind(kind), other)
    }

    /// Changes the form of a date.
    ///
    /// ```swift
    /// try event.changeValue("at", from: .iso8601, to: .deferredToDate)
    /// ```
    ///
    /// The rules are those of ``MigrationStep/changeValue(_:_:from:to:otherwise:ifMissing:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value of another form.
    public mutating func changeValue(
        _ path: PropertyPath,
        from form: DateForm,
        to newForm: DateForm,
        otherwise other: OtherValue = .fail
    ) throws {
        try convert(path, .date(from: form, to: newForm), other)
    }

    /// Changes a file URL or an absolute path to a path in a directory.
    ///
    /// ```swift
    /// try photo.changeValue("file", toPathIn: "Documents")
    /// ```
    ///
    /// The rules are those of ``MigrationStep/changeValue(_:_:toPathIn:otherwise:ifMissing:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that is no such URL or
    ///   path.
    public mutating func changeValue(
        _ path: PropertyPath,
        toPathIn directory: String,
        otherwise other: OtherValue = .fail
    ) throws {
        try convert(path, .path(in: directory), other)
    }

    mutating func convert(_ path: PropertyPath, _ conversion: ValueConversion, _ other: OtherValue) throws {
        if case .date(_, .propertyListDate) = conversion, !isSetting {
            throw error(.typeMismatch, "A record is JSON, which cannot hold a date of a property list.", property: path)
        }
        let other = OtherJSON(other, at: path)
        if other == .tooDeep { throw tooDeep(path) }
        try replaceValue(path, ifMissing: requirement(of: [path]), conversion, otherwise: other)
    }
}

/// A conversion of a property's value.
enum ValueConversion: Sendable {
    case kind(Record.ScalarKind)
    case date(from: Record.DateForm, to: Record.DateForm)
    case path(in: String)
    case jsonText(JSONTextChange)

    var identity: [String] {
        switch self {
        case .kind(let kind): ["kind", kind.identity]
        case .date(let form, let newForm): ["date", form.identity, newForm.identity]
        case .path(let directory): ["path", directory]
        case .jsonText(let change): ["jsonText", change.rawValue]
        }
    }

    /// Whether fractions of seconds, or the directories around a file, are cut off.
    var isLossy: Bool {
        switch self {
        case .kind, .jsonText: false
        case .date(_, let form): form == .iso8601
        case .path: true
        }
    }

    /// - Parameter depth: The number of arrays and objects around the value.
    func change(of bytes: UnsafeBufferPointer<UInt8>, depth: Int, otherwise other: OtherJSON) -> ValueChange {
        if case .jsonText(let change) = self { return change.change(of: bytes, depth: depth, otherwise: other) }
        let value = RecordValue(checked: bytes)
        guard !value.isNull else { return .kept }
        let json: String?
        switch self {
        case .kind where PropertyListTag.isPart(of: value.string ?? ""): json = nil
        case .kind(.string) where value.string != nil: return .kept
        case .kind(let kind): json = kind.json(value)
        case .date(let form, let newForm):
            guard let seconds = form.seconds(value) else {
                return other.change("is not a date in the form \(form)", advice: OtherJSON.dateAdvice)
            }
            guard form != newForm else { return .kept }
            json = newForm.json(seconds)
        case .path(let directory): return Self.path(value, in: directory, otherwise: other)
        case .jsonText: return .kept
        }
        return json.map { .new(Array($0.utf8)) }
            ?? other.change("is \(value.kind) that cannot be converted to \(target)")
    }

    /// The target, for messages.
    private var target: String {
        switch self {
        case .kind(.string): "a string"
        case .kind(.integer): "an integer"
        case .kind(.number): "a number"
        case .kind(.bool): "a Boolean"
        case .date(_, let form): "a date in the form \(form)"
        case .path: "a path"
        case .jsonText: "JSON text"
        }
    }

    private static func path(_ value: RecordValue, in directory: String, otherwise other: OtherJSON) -> ValueChange {
        guard let text = value.string, !PropertyListTag.isPart(of: text) else {
            return other.change("is \(value.kind), not a file URL or a path")
        }
        do throws(FileLocation.Fault) {
            let path = try FileLocation.path(text, in: directory)
            if ExactName.isSame(path, text) { return .kept }
            var json: [UInt8] = []
            JSONString.write(path, to: &json)
            return .new(json)
        } catch {
            switch error {
            case .notAPath: return other.change("is a string, but not a file URL or a path")
            case .elsewhere: return other.change("does not lead into the directory \(directory)")
            }
        }
    }
}

extension Record.ScalarKind {
    /// The JSON for a value of another kind; nil if there is none.
    fileprivate func json(_ value: RecordValue) -> String? {
        switch (self, value) {
        case (_, .null), (_, .array), (_, .object), (.string, .string): nil
        case (.number, .number(let number)): number.text
        case (.bool, .bool(let bool)): "\(bool)"
        case (.string, .number(let number)): "\"\(number.text)\""
        case (.string, .bool(let bool)): "\"\(bool)\""
        case (.integer, .bool(let bool)), (.number, .bool(let bool)): bool ? "1" : "0"
        case (.integer, .number(let number)): Self.integer(number)
        case (.integer, .string(let text)):
            // A fraction or an exponent is not how integers are written.
            RecordValue.Number(text: text).flatMap { $0.isInteger ? $0.text : nil }
        case (.number, .string(let text)): RecordValue.Number(text: text)?.text
        case (.bool, .string(let text)): ["true": "true", "1": "true", "false": "false", "0": "false"][text]
        case (.bool, .number(let number)): ["1": "true", "0": "false"][number.text]
        }
    }

    private static func integer(_ number: RecordValue.Number) -> String? {
        if number.isInteger { return number.text }
        return DecimalNumber(number).flatMap { $0.isInteger ? $0.text : nil }
    }
}

extension Record {
    /// An array or object around a single value.
    public enum Wrapper: Equatable, Sendable {
        /// An array with the value as its only element.
        case array
        /// An object with the value as its only property, of this name.
        case object(String)
    }

    /// Puts the value of a property into an array or object of its own.
    ///
    /// ```swift
    /// try person.wrap("phone", in: .array)                // "555" becomes ["555"]
    /// try person.wrap("phone", in: .object("number"))     // "555" becomes {"number":"555"}
    /// ```
    ///
    /// The rules are those of ``MigrationStep/wrapProperty(_:_:in:ifMissing:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that is in such an array
    ///   or object already, or would be nested too deeply.
    public mutating func wrap(_ path: PropertyPath, in wrapper: Wrapper) throws {
        try wrap(path, in: wrapper, ifMissing: requirement(of: [path]))
    }

    /// Replaces the value of a property with the only element of its array, or the only property of its object.
    ///
    /// ```swift
    /// try person.unwrap("phones", from: .array)           // ["555"] becomes "555"
    /// ```
    ///
    /// The rules are those of ``MigrationStep/unwrapProperty(_:_:from:ifMissing:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that is not such an
    ///   array or object, or has other contents.
    public mutating func unwrap(_ path: PropertyPath, from wrapper: Wrapper) throws {
        try unwrap(path, from: wrapper, ifMissing: requirement(of: [path]))
    }

    // MARK: For steps

    package mutating func wrap(_ path: PropertyPath, in wrapper: Wrapper, ifMissing: Record.MissingProperty)
        throws
    {
        let depth = full(path).count + 1
        try replaceValue(path, ifMissing: ifMissing) { value in
            if value.elementsEqual("null".utf8) { return wrapper == .array ? .new(Array("[]".utf8)) : .kept }
            if wrapper.isAround(value) {
                return .failed(
                    "is \(wrapper == .array ? "an array" : "such an object") already",
                    advice: "If it shall be put into another one, use `transform`."
                )
            }
            guard JSONScanner.fault(in: value, depth: depth) == nil else {
                return .failed("cannot be wrapped: \(JSONSyntaxError.Reason.tooDeep.rawValue)")
            }
            return .new(wrapper.opening + value + [wrapper == .array ? 0x5D : 0x7D])
        }
    }

    mutating func unwrap(_ path: PropertyPath, from wrapper: Wrapper, ifMissing: Record.MissingProperty) throws {
        try replaceValue(path, ifMissing: ifMissing) { wrapper.content(of: $0) }
    }
}

extension Record.Wrapper {
    var identity: [String] {
        switch self {
        case .array: ["array"]
        case .object(let name): ["object", name]
        }
    }

    /// The JSON before the value.
    fileprivate var opening: [UInt8] {
        guard case .object(let name) = self else { return [0x5B] }
        var bytes: [UInt8] = [0x7B]
        JSONString.write(name, to: &bytes)
        return bytes + [0x3A]
    }

    /// Whether a value is in such an array or object already; an earlier build may have written it.
    fileprivate func isAround(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .array: return value.first == 0x5B
        case .object(let name):
            guard value.first == 0x7B, let object = RecordValue(checked: value).object else { return false }
            return !object.properties.isEmpty && object.properties.allSatisfy { ExactName.isSame($0.name, name) }
        }
    }

    fileprivate func content(of value: UnsafeBufferPointer<UInt8>) -> ValueChange {
        if value.elementsEqual("null".utf8) { return .kept }
        var content = SplicedObject(bytes: Array(value))
        // The value was checked when it was read, so this never throws.
        try? content.read(includesArrays: self == .array)
        let null = ValueChange.new(Array("null".utf8))
        switch (self, content.kind) {
        case (.array, .array):
            if content.members.count == 0 { return null }
            guard content.members.count == 1 else {
                return .failed("has \(content.members.count) elements, of which only one can be kept")
            }
            return content.withValue(at: 0) { .new(Array($0)) }
        case (.object(let name), .object):
            if content.members.count == 0 { return null }
            guard let index = content.lastIndex(of: name) else { return .failed("has no property \"\(name)\"") }
            guard content.names.allSatisfy({ ExactName.isSame($0, name) }) else {
                return .failed("has properties other than \"\(name)\", which would be lost")
            }
            return content.withValue(at: index) { .new(Array($0)) }
        case (.array, _): return .failed("is not an array")
        case (.object, _): return .failed("is not an object")
        }
    }
}

extension Record.ScalarKind {
    /// Its part of fingerprints, which must stay the same in all releases of Molt.
    var identity: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .number: "number"
        case .bool: "bool"
        }
    }
}
