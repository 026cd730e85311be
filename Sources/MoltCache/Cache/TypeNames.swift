internal import MoltCore

/// The names that types are written as, of which the last is kept: to find out takes longer than to write a value.
struct TypeNames {
    private var last: (type: ObjectIdentifier, name: String)?

    /// The name of a type.
    mutating func name(of type: Any.Type) -> String {
        let id = ObjectIdentifier(type)
        if let last, last.type == id { return last.name }
        let name = RecordTypeName.of(type)
        last = (id, name)
        return name
    }
}
