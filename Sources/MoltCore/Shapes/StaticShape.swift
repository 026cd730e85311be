internal import Foundation

/// Facts about the shape of a type that need no value.
package enum StaticShape {
    /// The modules whose types are identified by name, as the app cannot change them.
    private static let modules: Set<Substring> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "CoreFoundation",
        "CoreGraphics", "__C",
    ]

    /// Whether a type is identified by its name.
    static func isLeaf(_ type: Any.Type) -> Bool {
        modules.contains(String(reflecting: type).prefix { $0 != "." })
    }

    /// The name of a type; integers that are stored in the same form share a name.
    static func name(_ type: Any.Type) -> String {
        switch type {
        case is Int64.Type: "Int"
        case is UInt64.Type: "UInt"
        case is any ShapedList.Type, is any ShapedDictionary.Type: RecordTypeName.of(type)
        default: isLeaf(type) ? portable(String(describing: type)) : RecordTypeName.of(type)
        }
    }

    /// The name of a Foundation type without platform differences.
    ///
    /// On Apple platforms some types have Objective-C names: `NSDecimal`, `Measurement<NSUnitLength>`.
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

    /// Whether keys are declared in a type that another one wraps, as with a type-erased wrapper.
    ///
    /// Keys of an enclosing type, of a generic argument and of a superclass count as the type's own.
    static func areKeys(_ keyTypes: [any CodingKey.Type], ofOtherThan type: Any.Type) -> Bool {
        guard !(type is AnyClass) else { return false }
        return keyTypes.contains { keyType in
            guard let owner = owner(ofKeys: keyType) else { return false }
            return !mentions(String(reflecting: type), owner)
        }
    }

    /// The full name of the type that declares `CodingKeys`.
    private static func owner(ofKeys type: Any.Type) -> Substring? {
        let text = String(reflecting: type)
        guard text.hasSuffix(".CodingKeys") else { return nil }
        let owner = text.dropLast(".CodingKeys".count)
        // Synthesized keys are private: "App.Person.(unknown context at $1f).CodingKeys".
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
    /// Whether it may be part of an identifier.
    fileprivate var isInName: Bool { isLetter || isNumber || self == "_" }
}

extension RawRepresentable {
    var rawText: String { String(describing: rawValue) }
}

extension CaseIterable {
    /// All values, or nil if there are more than 256.
    static var fewCases: [Any]? {
        let cases = allCases.prefix(257).map { $0 }
        return cases.count > 256 ? nil : cases
    }
}
