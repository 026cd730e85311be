internal import Molt

extension TypeShape {
    /// A value of this shape that no release has written: everything is set, and each array has one element.
    ///
    /// Strings are "1", which is the text of a number and of a Boolean, too.
    var madeUpValue: RecordValue { madeUpValue(depth: 0) }

    private func madeUpValue(depth: Int) -> RecordValue {
        // A type may contain itself.
        guard depth < 16 else { return .null }
        switch form {
        case .unknown, .varying, .reference: return isOptional || form == .reference ? .null : "1"
        case .leaf: return leafValue
        case .object(let object): return Self.object(object.properties, depth)
        case .array(let element): return .array([element.madeUpValue(depth: depth + 1)])
        case .dictionary(let key, let value):
            let value = value.madeUpValue(depth: depth + 1)
            guard !key.isKeyOfObjects else { return .object(RecordValue.Object([("1", value)])) }
            return .array([key.madeUpValue(depth: depth + 1), value])
        case .raw(let raw, let cases, _):
            guard let first = cases?.first else { return raw.madeUpValue(depth: depth + 1) }
            return raw.literal(ofCase: first).value
        case .cases(let cases, _, _):
            guard let (name, values) = cases.min(by: { $0.key < $1.key }) else { return .null }
            return .object(RecordValue.Object([(name, values.madeUpValue(depth: depth + 1))]))
        case .single(let value): return value.madeUpValue(depth: depth + 1)
        }
    }

    private static func object(_ properties: [String: TypeShape], _ depth: Int) -> RecordValue {
        .object(
            RecordValue.Object(
                properties.sorted { $0.key < $1.key }.map { ($0.key, $0.value.madeUpValue(depth: depth + 1)) }
            )
        )
    }

    private var leafValue: RecordValue {
        switch name {
        case "Bool": true
        case _ where scalarKind == .integer || scalarKind == .number: 1
        case "Date": 1
        case "UUID": "00000000-0000-0000-0000-000000000001"
        case "URL": "https://example.com/1"
        case "Data": "AQ=="
        default: "1"
        }
    }

    /// The kind of a string, a Boolean or a number of the standard library or Foundation; nil for other types.
    var scalarKind: Record.ScalarKind? {
        switch name {
        case "String": .string
        case "Bool": .bool
        case "Double", "Float", "Decimal", "CGFloat": .number
        case "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64": .integer
        default: nil
        }
    }

    /// Whether Codable always writes a dictionary with such keys as an object.
    var isKeyOfObjects: Bool { ["String", "Int"].contains(name) }

    /// The source and the value of an enum's raw value, of which this is the type.
    func literal(ofCase text: String) -> Literal {
        if scalarKind != .string, let number = try? RecordValue(json: text) {
            return Literal(code: text, value: number)
        }
        return Literal(code: text.debugDescription, value: .string(text))
    }
}
