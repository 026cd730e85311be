internal import Foundation

/// What a type tells of its shape without a value.
package enum StaticShape {
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
        case is any ShapedList.Type, is any ShapedDictionary.Type: RecordTypeName.of(type)
        default: isLeaf(type) ? portable(String(describing: type)) : RecordTypeName.of(type)
        }
    }

    /// The name of a type of Foundation as it is on every platform.
    ///
    /// On Apple platforms some are called what they are in Objective-C: `NSDecimal`, `Measurement<NSUnitLength>`.
    package static func portable(_ name: String) -> String {
        var words: [Substring] = []
        var rest = name[...]
        while let first = rest.first {
            let isWord = first.isInName
            let word = rest.prefix { $0.isInName == isWord }
            rest = rest[word.endIndex...]
            let bare = word.drop { $0 == "_" }
            words.append(
                bare.hasPrefix("NS") && bare.dropFirst(2).first?.isUppercase == true ? bare.dropFirst(2) : word
            )
        }
        return words.joined()
    }

    /// The name of a type in code with its module and all that it is nested in.
    package static func codeName(_ type: Any.Type) -> String {
        // What is private, or in a function: "App.(unknown context at $1f).Person".
        String(reflecting: type).replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
    }

    /// Whether keys are declared in a type that another one only stands for, as a type-erased wrapper does.
    ///
    /// Those of a type around it, and of a type that it is generic over, are as good as its own; so are those of a class
    /// above it.
    static func areKeys(_ keyTypes: [any CodingKey.Type], ofOtherThan type: Any.Type) -> Bool {
        guard !(type is AnyClass) else { return false }
        return keyTypes.contains { keyType in
            guard let owner = owner(ofKeys: keyType) else { return false }
            return !mentions(String(reflecting: type), owner)
        }
    }

    /// The full name of the type that `CodingKeys` are declared in.
    private static func owner(ofKeys type: Any.Type) -> Substring? {
        let text = String(reflecting: type)
        guard text.hasSuffix(".CodingKeys") else { return nil }
        let owner = text.dropLast(".CodingKeys".count)
        // Those that the compiler makes are private: "App.Person.(unknown context at $1f).CodingKeys".
        guard owner.hasSuffix(")"), let context = owner.range(of: ".(unknown context at", options: .backwards) else {
            return owner
        }
        return owner[..<context.lowerBound]
    }

    private static func mentions(_ name: String, _ part: Substring) -> Bool {
        var rest = name[...]
        while let found = rest.range(of: part) {
            let next = name[found.upperBound...].first
            if next?.isInName != true { return true }
            rest = name[found.upperBound...]
        }
        return false
    }
}

extension Character {
    /// Whether it may be a part of a name in code.
    fileprivate var isInName: Bool { isLetter || isNumber || self == "_" }
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
