internal import Foundation
internal import MoltCore

/// The state of one conversion while it traverses a value.
struct DefaultsV4Walk {
    let target: DefaultsRelease
    /// Whether invalid elements are set aside.
    let salvage: Bool
    private(set) var place = ValuePlace()
    private(set) var setAside: [SetAsideValue.Part] = []
    /// Whether the result differs from the stored value.
    private(set) var isChanged = false

    init(target: DefaultsRelease, salvage: Bool) {
        self.target = target
        self.salvage = salvage
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
        case (.native(_, let isCurrent), _) where isCurrent(value): return value
        default:
            guard isCurrentScalar(value, form) else { throw misfit(value, form) }
            return value
        }
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
            converted[key] = try convertElement(.key(key), original: value) { walk throws(ConversionFailure) in
                guard keys.text(key) != nil else { throw walk.unknownKey() }
                return try walk.convert(value, as: form)
            }
        }
        return .dictionary(converted)
    }

    /// Converts elements in order, without those that are set aside.
    mutating func convertElements<Element: StoredPart>(
        _ elements: [Element],
        _ body: (inout Self, Element) throws(ConversionFailure) -> PropertyListValue
    ) throws(ConversionFailure) -> PropertyListValue {
        var converted: [PropertyListValue] = []
        converted.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            let value = try convertElement(.index(index), original: element.original) {
                walk throws(ConversionFailure) in
                try body(&walk, element)
            }
            if let value { converted.append(value) }
        }
        return .array(converted)
    }

    /// Converts an element, or sets it aside.
    ///
    /// - Returns: nil if the element was set aside.
    mutating func convertElement(
        _ step: ValuePlace.Step,
        original: @autoclosure () -> PropertyListValue,
        _ body: (inout Self) throws(ConversionFailure) -> PropertyListValue
    ) throws(ConversionFailure) -> PropertyListValue? {
        place.steps.append(step)
        defer { place.steps.removeLast() }
        do {
            return try body(&self)
        } catch {
            guard salvage else { throw error }
            let part = SetAsideValue.Part(place: place.fullDescription, value: original(), reason: error.reason)
            setAside.append(part)
            isChanged = true
            return nil
        }
    }

    /// Converts the two bounds of a range, which are never set aside individually.
    mutating func convertRange<Bound>(
        _ bounds: [Bound],
        _ body: (inout Self, Bound) throws(ConversionFailure) -> PropertyListValue
    ) throws(ConversionFailure) -> PropertyListValue {
        guard bounds.count == 2 else { throw failure("\(bounds.count) elements, where two bounds were expected") }
        var converted: [PropertyListValue] = []
        for (index, bound) in bounds.enumerated() {
            place.steps.append(.index(index))
            defer { place.steps.removeLast() }
            converted.append(try body(&self, bound))
        }
        guard converted[0].isInOrder(with: converted[1]) else { throw failure("bounds in the wrong order") }
        return .array(converted)
    }
}

protocol StoredPart {
    /// The value to keep if the part is set aside.
    var original: PropertyListValue { get }
}

extension PropertyListValue: StoredPart {
    var original: PropertyListValue { self }
}

extension JSONPart: StoredPart {
    var original: PropertyListValue { .string(text) }
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
