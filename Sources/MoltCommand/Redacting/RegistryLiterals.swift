import Molt

/// The values that the steps of a registry read; a redacted fixture keeps what they depend on.
///
/// A literal is in the app's code, but that a record has it elsewhere is private: it is kept only at its property, under
/// each name that the type and the property have in the registry.
struct RegistryLiterals {
    /// A property that steps read, as seen from a value that it is in.
    struct Property {
        /// The names that lead to it, the outermost first; nil for each element.
        fileprivate var names: ArraySlice<String?>
        fileprivate let literals: Set<RecordValue>
        /// Whether its values become keys of records.
        fileprivate let hasKeys: Bool
    }

    /// The strings, and the texts of the numbers.
    private(set) var texts: Set<String> = []
    /// The texts at which steps split strings.
    private(set) var separators: [String] = []
    private var properties: [String: [Property]] = [:]

    init(_ migrations: MigrationRegistry) {
        let steps = migrations.migrations.flatMap(\.steps).map(\.declaration)
        for (index, step) in steps.enumerated() {
            separators += step.separators
            // A literal that is no JSON is a fault of the registry, and matches nothing.
            let literals = step.literals.compactMap { try? RecordValue(json: $0.utf8) }
            for literal in literals {
                switch literal {
                case .string(let text): texts.insert(text)
                case .number(let number): texts.insert(number.text)
                case .null, .bool, .array, .object: break
                }
            }
            if !literals.isEmpty, let place = step.literalProperty {
                add(Self.places(of: place, at: index, in: steps), literals: Set(literals), hasKeys: false)
            }
            if let place = step.keyProperty {
                add(Self.places(of: place, at: index, in: steps), literals: [], hasKeys: true)
            }
        }
    }

    private mutating func add(_ places: [PropertyPlace], literals: Set<RecordValue>, hasKeys: Bool) {
        for place in places {
            let property = Property(names: place.names[...], literals: literals, hasKeys: hasKeys)
            properties[place.type, default: []].append(property)
        }
    }

    /// The place that a step reads, and those that its values have before earlier steps and after later ones.
    private static func places(
        of place: PropertyPlace,
        at index: Int,
        in steps: [any StepDeclaration]
    ) -> [PropertyPlace] {
        var places = [place]
        func follow(from old: PropertyPlace, to new: PropertyPlace) {
            for moved in places.compactMap({ $0.moved(from: old, to: new) }) where !places.contains(moved) {
                places.append(moved)
            }
        }
        for (old, new) in steps[..<index].reversed().compactMap(\.relocation) { follow(from: new, to: old) }
        for (old, new) in steps[(index + 1)...].compactMap(\.relocation) { follow(from: old, to: new) }
        return places
    }

    /// The properties of a type that steps read.
    func properties(of type: String) -> [Property] { properties[type] ?? [] }
}

extension [RegistryLiterals.Property] {
    /// The properties as seen from a member of the value, or from an element, which has no name.
    func inside(_ name: String?) -> [RegistryLiterals.Property] {
        compactMap { property in
            guard let first = property.names.first, first == nil || first == name else { return nil }
            var property = property
            property.names.removeFirst()
            return property
        }
    }

    /// Whether a step names the value at its place.
    func hasLiteral(_ part: JSONPart) -> Bool {
        guard contains(where: { $0.names.isEmpty && !$0.literals.isEmpty }) else { return false }
        guard let value = try? RecordValue(json: part.utf8) else { return false }
        return contains { $0.names.isEmpty && $0.literals.contains(value) }
    }

    /// Whether the value becomes the key of a record.
    var isKey: Bool { contains { $0.names.isEmpty && $0.hasKeys } }
}
