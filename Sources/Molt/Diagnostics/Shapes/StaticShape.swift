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
        guard name.contains("NS") else { return name }
        return name.replacing(/\b_*NS(?=\p{Lu})/.wordBoundaryKind(.simple), with: "")
    }

    /// Whether keys are declared in a type that another one wraps, as with a type-erased wrapper.
    ///
    /// Keys of an enclosing type, of a generic argument and of a superclass count as the type's own.
    static func areKeys(_ keyTypes: [any CodingKey.Type], ofOtherThan type: Any.Type) -> Bool {
        guard !(type is AnyClass) else { return false }
        let name = String(reflecting: type)
        return keyTypes.compactMap { owner(ofKeys: $0) }.contains { owner in
            !name.ranges(of: owner).contains { name[$0.upperBound...].prefixMatch(of: /\w/) == nil }
        }
    }

    /// The full name of the type that declares `CodingKeys`.
    private static func owner(ofKeys type: Any.Type) -> Substring? {
        let text = String(reflecting: type)
        guard text.hasSuffix(".CodingKeys") else { return nil }
        let owner = text.dropLast(".CodingKeys".count)
        // Synthesized keys are private: "App.Person.(unknown context at $1f).CodingKeys".
        guard owner.hasSuffix(")"), let context = owner.ranges(of: ".(unknown context at").last else { return owner }
        return owner[..<context.lowerBound]
    }
}
