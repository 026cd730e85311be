import Molt

/// The values that the steps of a registry read; a redacted fixture keeps what they depend on.
///
/// A literal is in the app's code, but that a record has it elsewhere is private: it is kept only at its property, under
/// each name that the type and the property have in the registry.
struct RegistryLiterals {
    /// A property that steps read, as seen from a value that it is in.
    struct Property {
        /// The names that lead to it, the outermost first; nil for each element.
        fileprivate var names: ArraySlice<ExactName?>
        fileprivate let literals: Set<RecordValue>
        /// Whether its values become keys of records.
        fileprivate let hasKeys: Bool
    }

    /// The strings, and the texts of the numbers.
    private(set) var texts: Set<String> = []
    /// The texts at which steps split strings.
    private(set) var separators: [String] = []
    private var properties: [ExactName: [Property]] = [:]

    init(_ migrations: MigrationRegistry) {
        let uses = migrations.migrations.flatMap(\.steps).map(\.declaration.valueUses)
        for (index, use) in uses.enumerated().flatMap({ index, uses in uses.map { (index, $0) } }) {
            switch use {
            case .literals(let texts, let place):
                // A literal that is no JSON is a fault of the registry, and matches nothing.
                let literals = texts.compactMap { try? RecordValue(json: $0.utf8) }
                self.texts.formUnion(literals.compactMap { $0.string ?? $0.number?.text })
                add(Self.places(of: place, at: index, in: uses), literals: Set(literals), hasKeys: false)
            case .keys(let place):
                add(Self.places(of: place, at: index, in: uses), literals: [], hasKeys: true)
            case .splits(let text): separators.append(text)
            case .moves: break
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
    private static func places(of place: PropertyPlace, at index: Int, in uses: [[ValueUse]]) -> [PropertyPlace] {
        var places = [place]
        func follow(from old: PropertyPlace, to new: PropertyPlace) {
            for place in places where place.isWithin(old) {
                var moved = new
                moved.names += place.names.dropFirst(old.names.count)
                if !places.contains(moved) { places.append(moved) }
            }
        }
        for case .moves(let old, let new) in uses[..<index].reversed().joined() { follow(from: new, to: old) }
        for case .moves(let old, let new) in uses[(index + 1)...].joined() { follow(from: old, to: new) }
        return places
    }

    /// The properties of a type that steps read.
    func properties(of type: String) -> [Property] { properties[ExactName(type)] ?? [] }
}

extension [RegistryLiterals.Property] {
    /// The properties as seen from a member of the value, or from an element, which has no name.
    func inside(_ name: String?) -> [RegistryLiterals.Property] {
        compactMap { property in
            guard let first = property.names.first, first == nil || first == name.map(ExactName.init) else {
                return nil
            }
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
