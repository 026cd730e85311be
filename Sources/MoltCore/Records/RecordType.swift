/// Gives a type a name in the store that does not depend on what the type is called in code.
///
/// Without it a record's type name is the type's own name, without the types and the module around it: a nested
/// `Contact.Address` is written as `Address`, a generic `Box<Int>` as `Box<Int>`. Conform a type when two types
/// share a name, or when its name in code may change and no migration should be needed.
///
/// ```swift
/// extension Contact.Address: RecordType {
///     static var recordTypeName: String { "Contact.Address" }
/// }
/// ```
public protocol RecordType {
    /// The name that records of this type are written as; must not change without a `renameType` step.
    static var recordTypeName: String { get }
}

/// Looks up the name that records of a type are written as.
public enum RecordTypeName {
    /// The type's ``RecordType/recordTypeName``, or its own name.
    public static func of(_ type: Any.Type) -> String {
        if let named = type as? any RecordType.Type {
            return named.recordTypeName
        }
        return String(describing: type)
    }
}
