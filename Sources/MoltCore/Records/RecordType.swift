/// A type whose name in the store does not depend on its name in code.
///
/// By default a record's type name is the type's own name, without its module and enclosing types: a nested
/// `Contact.Address` is stored as `Address`, a generic `Box<Int>` as `Box<Int>`. Conform a type when two types share a
/// name, or to be able to rename it in code without a migration.
///
/// Arrays, sets, dictionaries and optionals are named after their contents: `Array<Contact.Address>`. This does not
/// apply to generic types of your own; conform them too if necessary.
///
/// ```swift
/// extension Contact.Address: RecordType {
///     static var recordTypeName: String { "Contact.Address" }
/// }
/// ```
public protocol RecordType {
    /// The stored type name; do not change it without a `renameType` step.
    static var recordTypeName: String { get }
}

/// The stored names of types.
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

/// A type of the standard library that is named after its contents.
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

/// The name of a type or a property, compared by bytes, while Swift's `==` normalizes Unicode.
package struct ExactName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (name: ExactName, other: ExactName) -> Bool {
        RecordValue.Object.isSame(name.text, other.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // The terminator distinguishes "ab", "c" from "a", "bc".
        hasher.combine(0xFF as UInt8)
    }
}
