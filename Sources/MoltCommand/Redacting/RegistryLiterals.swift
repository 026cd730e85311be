import Molt

/// The values that the steps of a registry name; a redacted fixture keeps them, because they are in the app's code.
struct RegistryLiterals {
    /// The strings, and the texts of the numbers.
    private(set) var texts: Set<String> = []
    /// The texts at which steps split strings.
    private(set) var separators: [String] = []
    /// The arrays and objects.
    private var collections: Set<RecordValue> = []

    init(_ migrations: MigrationRegistry) {
        for step in migrations.migrations.flatMap(\.steps) {
            separators += step.declaration.separators
            // A literal that is no JSON is a fault of the registry, and matches nothing.
            for literal in step.declaration.literals.compactMap({ try? RecordValue(json: $0.utf8) }) {
                switch literal {
                case .string(let text): texts.insert(text)
                case .number(let number): texts.insert(number.text)
                case .array, .object: collections.insert(literal)
                case .null, .bool: break
                }
            }
        }
    }

    /// Whether a step names an array or an object.
    func hasCollection(_ json: [UInt8]) -> Bool {
        guard !collections.isEmpty, let value = try? RecordValue(json: json) else { return false }
        return collections.contains(value)
    }
}
