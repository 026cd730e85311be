internal import MoltCore

/// The names that types are written as, of which the last is kept: to find out takes longer than to write a value.
struct TypeNames {
    private var last: (type: ObjectIdentifier, isOptional: Bool, name: String)?

    /// The type whose name is kept.
    var lastType: ObjectIdentifier? { last?.type }

    /// Whether a type is the last one, and no optional: then what it conforms to need not be asked.
    func isLastAndPlain(_ type: Any.Type) -> Bool {
        guard let last else { return false }
        return last.type == ObjectIdentifier(type) && !last.isOptional
    }

    /// The name of a type, which becomes the last one.
    mutating func name(of type: Any.Type, isOptional: Bool) -> String {
        let id = ObjectIdentifier(type)
        if let last, last.type == id { return last.name }
        let name = RecordTypeName.of(type)
        last = (id, isOptional, name)
        return name
    }
}
