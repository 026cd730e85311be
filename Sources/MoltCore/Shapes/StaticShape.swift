internal import Foundation

/// What a type tells of its shape without a value.
enum StaticShape {
    /// The modules whose types are known by their names: what is in them is not the app's to change.
    private static let modules: Set<Substring> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "CoreFoundation",
        "CoreGraphics", "__C",
    ]

    /// Whether a type is known by its name.
    static func isLeaf(_ type: Any.Type) -> Bool {
        modules.contains(String(reflecting: type).prefix { $0 != "." })
    }

    /// The name of a type; integers that are stored and read as each other have one.
    static func name(_ type: Any.Type) -> String {
        switch type {
        case is Int64.Type: "Int"
        case is UInt64.Type: "UInt"
        default: RecordTypeName.of(type)
        }
    }
}

/// An optional of any type.
protocol ShapedOptional {
    static var wrappedType: Any.Type { get }
    var anyWrapped: Any? { get }
}

extension Optional: ShapedOptional {
    static var wrappedType: Any.Type { Wrapped.self }
    var anyWrapped: Any? {
        if case .some(let value) = self { value } else { nil }
    }
}

/// A collection of any type whose elements are stored as a list.
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

/// A dictionary of any type.
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

extension RawRepresentable {
    /// The raw value as text.
    var rawText: String { String(describing: rawValue) }
}

extension CaseIterable {
    /// All values, unless there are very many.
    static var fewCases: [Any]? {
        let cases = allCases.prefix(257).map { $0 }
        return cases.count > 256 ? nil : cases
    }
}
