/// The stored names of types, with the last one cached: finding a name takes longer than writing a value.
struct TypeNames {
    private var last: (type: ObjectIdentifier, isOptional: Bool, name: String)?

    var lastType: ObjectIdentifier? { last?.type }

    /// Whether a type is the cached one and not optional, which makes checks of its conformances unnecessary.
    func isCachedNonOptional(_ type: Any.Type) -> Bool {
        guard let last else { return false }
        return last.type == ObjectIdentifier(type) && !last.isOptional
    }

    /// The name of a type, which becomes the cached one.
    mutating func name(of type: Any.Type, isOptional: Bool) -> String {
        let id = ObjectIdentifier(type)
        if let last, last.type == id { return last.name }
        let name = RecordTypeName.of(type)
        last = (id, isOptional, name)
        return name
    }

    #if DEBUG
        /// A warning of a type that may have been renamed in code alone.
        static func warning(of former: String, as name: String) -> String {
            "a value of type \"\(name)\" was set, and the store has values of type \"\(former)\" with the same properties; "
                + "each type finds only its own. If it was renamed, add a migration with "
                + ".renameType(\"\(former)\", to: \"\(name)\")."
        }
    #endif
}
