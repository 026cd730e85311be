/// Gives a type a name in the store that does not depend on what the type is called in code.
///
/// Without it a record's type name is the type's own name, without the types and the module around it: a nested
/// `Contact.Address` is written as `Address`, a generic `Box<Int>` as `Box<Int>`. Conform a type when two types
/// share a name, or when its name in code may change and no migration should be needed.
///
/// Arrays, sets, dictionaries and optionals are named after what is in them: `Array<Contact.Address>`. A generic type
/// of your own is not; conform it, too, when its name should follow.
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
package enum RecordTypeName {
    /// The type's ``RecordType/recordTypeName``, or its own name.
    package static func of(_ type: Any.Type) -> String {
        if let named = type as? any RecordType.Type {
            return named.recordTypeName
        }
        if let container = type as? any ContainerType.Type {
            let parts = container.partTypes.map { of($0) }.joined(separator: ", ")
            return "\(container.containerName)<\(parts)>"
        }
        return String(describing: type)
    }
}

/// A type of the standard library that is named after what is in it.
private protocol ContainerType {
    static var containerName: String { get }
    static var partTypes: [Any.Type] { get }
}

extension Array: ContainerType {
    fileprivate static var containerName: String { "Array" }
    fileprivate static var partTypes: [Any.Type] { [Element.self] }
}

extension Set: ContainerType {
    fileprivate static var containerName: String { "Set" }
    fileprivate static var partTypes: [Any.Type] { [Element.self] }
}

extension Dictionary: ContainerType {
    fileprivate static var containerName: String { "Dictionary" }
    fileprivate static var partTypes: [Any.Type] { [Key.self, Value.self] }
}

extension Optional: ContainerType {
    fileprivate static var containerName: String { "Optional" }
    fileprivate static var partTypes: [Any.Type] { [Wrapped.self] }
}
