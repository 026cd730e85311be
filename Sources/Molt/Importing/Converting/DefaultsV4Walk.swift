internal import Foundation

/// The state of one conversion while it traverses a value.
struct DefaultsV4Walk {
    let target: DefaultsRelease
    private(set) var place = ValuePlace()
    /// Whether the result differs from the stored value.
    private(set) var isChanged = false

    init(target: DefaultsRelease) {
        self.target = target
    }

    /// Converts a native value: the whole value, or an element of a native container.
    mutating func convert(
        _ value: PropertyListValue,
        as form: DefaultsForm
    ) throws(ConversionFailure) -> PropertyListValue {
        switch (form.kind, value) {
        case (.string, .string): return value
        case (_, .string(let text)): return try convert(text: text, as: form)
        case (.array(let element), .array(let elements)), (.set(let element), .array(let elements)):
            return try convertElements(elements) { walk, value throws(ConversionFailure) in
                try walk.convert(value, as: element)
            }
        case (.dictionary(let keys, let element), .dictionary(let values)):
            return try convert(values, keys: keys, as: element)
        case (.range(let bound, _), .array(let bounds)) where !isStoredAsJSON(form):
            return try convertRange(bounds) { walk, value throws(ConversionFailure) in
                try walk.convert(value, as: bound)
            }
        case (.rawValue(let raw, let isKnown), _):
            let rawValue = try convert(value, as: raw)
            guard isKnown(rawValue) else { throw unknownRawValue() }
            return rawValue
        case (.keyedArchive, .data(let data)):
            try check(archive: data)
            return value
        case (.native(_, let isCurrent), _) where isCurrent(value): return value
        default:
            guard isCurrentScalar(value, form) else { throw misfit(value, form) }
            return value
        }
    }

    func check(archive data: Data) throws(ConversionFailure) {
        if !KeyedArchive.isArchive(data) { throw failure("data that is not a keyed archive") }
    }

    /// Converts a string, which is JSON unless the value is already current.
    private mutating func convert(
        text: String,
        as form: DefaultsForm
    ) throws(ConversionFailure) -> PropertyListValue {
        let stored = PropertyListValue.string(text)
        do {
            let value = try convert(part(of: text), as: form)
            guard !isStoredAsJSON(form), value != stored else { return stored }
            isChanged = true
            return value
        } catch {
            // Checked last: a type may accept any string as current, so valid JSON of its former form takes precedence.
            guard isCurrentText(stored, form) else { throw error }
            return stored
        }
    }

    private mutating func convert(
        _ values: [String: PropertyListValue],
        keys: DefaultsForm.Key,
        as form: DefaultsForm
    ) throws(ConversionFailure) -> PropertyListValue {
        var converted: [String: PropertyListValue] = [:]
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            converted[key] = try convertElement(.key(key)) { walk throws(ConversionFailure) in
                guard keys.text(key) != nil else { throw walk.unknownKey() }
                return try walk.convert(value, as: form)
            }
        }
        return .dictionary(converted)
    }

    /// Converts elements in order.
    mutating func convertElements<Element>(
        _ elements: [Element],
        _ body: (inout Self, Element) throws(ConversionFailure) -> PropertyListValue
    ) throws(ConversionFailure) -> PropertyListValue {
        var converted: [PropertyListValue] = []
        converted.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            let value = try convertElement(.index(index)) { walk throws(ConversionFailure) in
                try body(&walk, element)
            }
            converted.append(value)
        }
        return .array(converted)
    }

    /// Converts an element at a place inside the current one.
    mutating func convertElement(
        _ step: ValuePlace.Step,
        _ body: (inout Self) throws(ConversionFailure) -> PropertyListValue
    ) throws(ConversionFailure) -> PropertyListValue {
        place.steps.append(step)
        defer { place.steps.removeLast() }
        return try body(&self)
    }

    /// Converts the two bounds of a range.
    mutating func convertRange<Bound>(
        _ bounds: [Bound],
        _ body: (inout Self, Bound) throws(ConversionFailure) -> PropertyListValue
    ) throws(ConversionFailure) -> PropertyListValue {
        guard bounds.count == 2 else { throw failure("\(bounds.count) elements, where two bounds were expected") }
        let converted = try convertElements(bounds, body)
        guard let values = converted.array, values[0].isInOrder(with: values[1]) else {
            throw failure("bounds in the wrong order")
        }
        return converted
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
