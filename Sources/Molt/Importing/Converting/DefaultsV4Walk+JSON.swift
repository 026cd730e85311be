internal import Foundation

extension DefaultsV4Walk {
    func part(of text: String) throws(ConversionFailure) -> JSONPart {
        guard !text.isEmpty else { throw failure("an empty text") }
        do {
            return try JSONPart(text)
        } catch {
            throw failure("not JSON text: \(error.description)")
        }
    }

    mutating func convert(
        _ part: JSONPart,
        as form: DefaultsForm
    ) throws(ConversionFailure) -> PropertyListValue {
        switch form.kind {
        case .array(let element), .set(let element):
            guard let elements = part.elements else { throw mismatch(part, form) }
            return try convertElements(elements) { walk, part throws(ConversionFailure) in
                try walk.convert(part, as: element)
            }
        case .dictionary(let keys, let element):
            return try convertDictionary(part, keys: keys, as: form, element: element)
        case .range(let bound, _):
            guard let bounds = part.elements else { throw mismatch(part, form) }
            let range = try convertRange(bounds) { walk, part throws(ConversionFailure) in
                try walk.convert(part, as: bound)
            }
            return isStoredAsJSON(form) ? .string(part.text) : range
        case .rawValue(let raw, let isKnown):
            let rawValue = try convert(part, as: raw)
            guard isKnown(rawValue) else { throw unknownRawValue() }
            return rawValue
        case .native(let convert, let isCurrent):
            let native = try calling(part, form) { try convert($0) }
            guard isCurrent(native) else { throw failure("converted, it could not be read") }
            return native
        case .codable:
            guard part.kind != .null else { throw mismatch(part, form) }
            return .string(part.text)
        default:
            return try convertScalar(part, as: form)
        }
    }

    /// Has a type decode the value; errors contain no values.
    private func calling<Value>(
        _ part: JSONPart,
        _ form: DefaultsForm,
        _ body: ([UInt8]) throws -> Value
    ) throws(ConversionFailure) -> Value {
        guard part.kind != .null else { throw mismatch(part, form) }
        do {
            return try body(part.utf8)
        } catch let error as NoCodableForm {
            throw failure(error.description)
        } catch let error as MoltError where error.code == .typeMismatch {
            let place = error.place.map { ", at \($0)" } ?? ""
            throw failure("the stored value does not have the form of its type\(place)")
        } catch {
            throw failure("its type does not read it: \(ErrorSummary.line(of: error))")
        }
    }

    /// Converts an object, or an array of alternating keys and values (for keys other than `String` and `Int`).
    private mutating func convertDictionary(
        _ part: JSONPart,
        keys: DefaultsForm.Key,
        as form: DefaultsForm,
        element: DefaultsForm
    ) throws(ConversionFailure) -> PropertyListValue {
        var entries: [(name: String, value: JSONPart)]
        if let properties = part.properties {
            entries = properties
        } else if let elements = part.elements, keys.mayAlternate {
            entries = try alternatingEntries(elements)
        } else {
            throw mismatch(part, form)
        }
        var converted: [String: PropertyListValue] = [:]
        for (name, value) in entries {
            let key = keys.text(name)
            let native = try convertElement(.key(name)) { walk throws(ConversionFailure) in
                guard key != nil else { throw walk.unknownKey() }
                return try walk.convert(value, as: element)
            }
            if let key { converted[key] = native }
        }
        return .dictionary(converted)
    }

    private mutating func alternatingEntries(
        _ elements: [JSONPart]
    ) throws(ConversionFailure) -> [(name: String, value: JSONPart)] {
        var entries: [(name: String, value: JSONPart)] = []
        for index in stride(from: 0, to: elements.count, by: 2) {
            let key = elements[index]
            guard index + 1 < elements.count else {
                _ = try convertElement(.index(index)) { walk throws(ConversionFailure) in
                    throw walk.failure("a key without a value")
                }
                break
            }
            entries.append((key.string ?? key.text, elements[index + 1]))
        }
        return entries
    }
}
