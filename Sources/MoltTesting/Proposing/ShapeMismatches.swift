internal import Molt

/// The places where a value does not have the form that a type reads.
struct ShapeMismatches {
    /// The mismatches by place; a place of several elements counts once.
    private(set) var found: [ProposedPlace: String] = [:]
    private var enclosing: [String: TypeShape] = [:]

    /// - Parameters:
    ///   - value: The content of a record or a setting.
    ///   - place: Its place.
    init(of value: RecordValue, _ shape: TypeShape, at place: ProposedPlace) {
        compare(value, shape, place)
    }

    private mutating func compare(_ value: RecordValue, _ shape: TypeShape, _ place: ProposedPlace) {
        guard !shape.keepsUnknown else { return }
        guard value != .null else {
            if !shape.isOptional, shape.form != .unknown, shape.form != .varying { add("null", shape, place) }
            return
        }
        switch (shape.form, value) {
        case (.unknown, _), (.varying, _): break
        case (.reference, _):
            if let outer = enclosing[shape.name] { compare(value, outer, place) }
        case (.single(let inner), _): compare(value, inner, place)
        case (.raw(let raw, let cases, _), _):
            compare(value, raw, place)
            if let cases, found[place] == nil, !cases.contains(where: { raw.literal(ofCase: $0).value == value }) {
                add("another case", shape, place)
            }
        case (.leaf, _): if !shape.allows(value) { add(value.kind, shape, place) }
        case (.object(let type), .object(let object)): compare(object, type, shape, place)
        case (.cases(let cases, _, _), .object(let object)):
            for (name, value) in object.properties {
                guard let values = cases[name] else { continue }
                compare(value, values, place[name])
            }
        case (.array(let element), .array(let elements)):
            for value in elements { compare(value, element, place.elements) }
        case (.dictionary(let key, let element), .object(let object)) where key.isKeyOfObjects || key.mayBeObjectKey:
            for (_, value) in object.properties { compare(value, element, place.elements) }
        case (.dictionary(let key, let element), .array(let elements)) where !key.isKeyOfObjects:
            for (index, value) in elements.enumerated() {
                compare(value, index.isMultiple(of: 2) ? key : element, place.elements)
            }
        default: add(value.kind, shape, place)
        }
    }

    private mutating func compare(
        _ object: RecordValue.Object,
        _ type: ObjectShape,
        _ shape: TypeShape,
        _ place: ProposedPlace
    ) {
        let outer = enclosing
        enclosing[shape.name] = shape
        for (name, property) in type.properties {
            if let value = object[name] {
                compare(value, property, place[name])
            } else if !property.isOptional, !type.lenient.contains(name), property.form != .unknown {
                add("missing", property, place[name])
            }
        }
        enclosing = outer
    }

    private mutating func add(_ what: String, _ shape: TypeShape, _ place: ProposedPlace) {
        if found[place] == nil { found[place] = "\(what) instead of \(shape.text)" }
    }
}

extension TypeShape {
    /// Whether a type of the standard library or Foundation may be stored as a value.
    fileprivate func allows(_ value: RecordValue) -> Bool {
        switch scalarKind {
        case .string: value.string != nil
        case .bool: value.bool != nil
        case .number: value.number != nil
        case .integer: value.number.map { !$0.text.contains(".") || $0.text.hasSuffix(".0") } ?? false
        // Dates, data and others have several forms.
        case nil: true
        }
    }

    /// Whether the keys of a dictionary may be those of an object, as with `CodingKeyRepresentable`.
    fileprivate var mayBeObjectKey: Bool {
        if case .leaf = form { return name != "Bool" }
        return true
    }
}
