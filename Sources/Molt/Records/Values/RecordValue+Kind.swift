extension RecordValue {
    /// A kind of value, for a step's condition; see ``MigrationStep/where(_:is:)``.
    ///
    /// A date and data of a property list are of none of these kinds.
    public enum Kind: Sendable {
        /// JSON's `null`; not a missing property.
        case null
        /// `true` or `false`.
        case bool
        /// A number.
        case number
        /// A string.
        case string
        /// An array.
        case array
        /// An object.
        case object

        /// The kind of a value without surrounding white space; nil for a date and data of a property list.
        init?(of json: UnsafeBufferPointer<UInt8>) {
            switch json.first {
            case 0x22:
                let tag = json.starts(with: PropertyListTag.openingInJSON) ? RecordValue(checked: json).string : nil
                switch tag.flatMap(PropertyListTag.read)?.tag {
                case nil: self = .string
                case .real: self = .number
                case .date, .data: return nil
                }
            case 0x5B: self = .array
            case 0x7B: self = .object
            case 0x6E: self = .null
            case 0x66, 0x74: self = .bool
            default: self = .number
            }
        }

        /// Its part of fingerprints, which must stay the same in all releases of Molt.
        var identity: String {
            switch self {
            case .null: "null"
            case .bool: "bool"
            case .number: "number"
            case .string: "string"
            case .array: "array"
            case .object: "object"
            }
        }

        /// The kind with its article, for descriptions.
        var phrase: String {
            switch self {
            case .null: "null"
            case .bool: "a Boolean"
            case .number: "a number"
            case .string: "a string"
            case .array: "an array"
            case .object: "an object"
            }
        }
    }
}
