import Molt

/// The values that the steps of a registry read; a redacted fixture keeps what they depend on.
///
/// A literal is in the app's code, but that a record has it elsewhere is private: it is kept only at its property,
/// under each name that the type and the property have in the registry.
struct RegistryLiterals {
    /// The strings, and the texts of the numbers.
    private(set) var texts: Set<String> = []
    /// The texts at which steps split strings.
    private(set) var separators: [String] = []
    private var literals: [(place: PropertyPlace, values: Set<RecordValue>)] = []
    /// The forms that steps give keys.
    private(set) var keyForms: [Record.NewKey] = []
    /// The places whose values become keys of records.
    private var keys: [PropertyPlace] = []
    /// The places whose strings have JSON text.
    private var jsonTexts: [PropertyPlace] = []

    init(_ migrations: MigrationRegistry) {
        let uses = migrations.migrations.flatMap(\.steps).map(\.declaration.valueUses)
        for (index, use) in uses.enumerated().flatMap({ index, uses in uses.map { (index, $0) } }) {
            switch use {
            case .literals(let texts, let place):
                // A literal that is no JSON is a fault of the registry, and matches nothing.
                let values = Set(texts.compactMap { try? RecordValue(json: $0.utf8) })
                self.texts.formUnion(values.compactMap { $0.string ?? $0.number?.text })
                literals += Self.places(of: place, at: index, in: uses).map { ($0, values) }
            case .keys(let place): keys += Self.places(of: place, at: index, in: uses)
            case .jsonText(let place): jsonTexts += Self.places(of: place, at: index, in: uses)
            case .foldsKeys(let form): keyForms.append(form)
            case .splits(let text): separators.append(text)
            case .moves: break
            }
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

    /// Whether a step names the value at a place.
    func contains(_ part: JSONPart, at place: PropertyPlace) -> Bool {
        let named = literals.filter { place.isOne(of: $0.place) }
        guard !named.isEmpty, let value = try? RecordValue(json: part.utf8) else { return false }
        return named.contains { $0.values.contains(value) }
    }

    /// The place of a setting, or that of all settings with its prefix if a step names those.
    func place(ofSetting key: String, in suite: Suite) -> PropertyPlace {
        let named = Set(literals.map(\.place.place))
        let prefixes = key.indices.map {
            StepPlace(MigrationStep.Settings.settings(withPrefix: String(key[...$0]), in: suite))
        }
        let single = StepPlace(MigrationStep.Settings.setting(key, in: suite))
        return PropertyPlace(([single] + prefixes).first(where: named.contains) ?? single)
    }

    /// Whether a string at a place has JSON text, or will have it.
    func isJSONText(at place: PropertyPlace) -> Bool {
        jsonTexts.contains { place.isOne(of: $0) }
    }

    /// Whether the value at a place becomes the key of a record.
    func isKey(at place: PropertyPlace) -> Bool {
        keys.contains { place.isOne(of: $0) }
    }
}

extension PropertyPlace {
    /// Whether it is a place that another one stands for, whose path may lead through every element.
    fileprivate func isOne(of places: PropertyPlace) -> Bool {
        place == places.place && names.count == places.names.count
            && zip(names, places.names).allSatisfy { $1 == nil || $0 == $1 }
    }
}
