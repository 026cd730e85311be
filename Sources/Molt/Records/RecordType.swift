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
        let name = String(describing: type)
        guard let contents = contents(of: type) else { return name }
        return "\(name.prefix { $0 != "<" })<\(contents.map { of($0) }.joined(separator: ", "))>"
    }

    /// The types inside a type of the standard library that is named after its contents; nil for another type.
    private static func contents(of type: Any.Type) -> [Any.Type]? {
        switch type {
        case let type as any AnyOptional.Type: [type.wrappedType]
        case let type as any ShapedList.Type: [type.elementType]
        case let type as any ShapedDictionary.Type: [type.keyType, type.valueType]
        default: nil
        }
    }
}

protocol AnyOptional {
    static var wrappedType: Any.Type { get }
    var anyWrapped: Any? { get }
}

extension Optional: AnyOptional {
    static var wrappedType: Any.Type { Wrapped.self }
    var anyWrapped: Any? {
        // Casting nil to an existential would wrap it once more.
        if case .some(let value) = self { value } else { nil }
    }
}

/// A collection of any type that is stored as a list.
protocol ShapedList {
    static var elementType: Any.Type { get }
    func firstElements(_ count: Int) -> [Any]
}

extension ShapedList where Self: Collection {
    static var elementType: Any.Type { Element.self }
    func firstElements(_ count: Int) -> [Any] { prefix(count).map { $0 } }
}

extension Array: ShapedList {}
extension ArraySlice: ShapedList {}
extension ContiguousArray: ShapedList {}
extension Set: ShapedList {}

protocol ShapedDictionary {
    static var keyType: Any.Type { get }
    static var valueType: Any.Type { get }
    func firstKeys(_ count: Int) -> [Any]
    func firstValues(_ count: Int) -> [Any]
}

extension Dictionary: ShapedDictionary {
    static var keyType: Any.Type { Key.self }
    static var valueType: Any.Type { Value.self }
    func firstKeys(_ count: Int) -> [Any] { keys.prefix(count).map { $0 } }
    func firstValues(_ count: Int) -> [Any] { values.prefix(count).map { $0 } }
}
