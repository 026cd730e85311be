import Molt

/// The settings of a suite that is upgraded without a cache.
enum SingleSuite {
    static let old: [String: PropertyListValue] = [
        "tags": .string(#"["a","b"]"#), "other": 1, "renamed": "text", "removed": true, "long": long,
    ]
    static let new: [String: PropertyListValue] = ["tags": ["a", "b"], "other": 1, "title": "text", "long": long]
    private static let long = PropertyListValue.string(String(repeating: "b", count: 5_000))

    static func migrations(of suite: Molt.Suite) -> MigrationRegistry {
        [
            .defaultsV4ToV5(to: 1, suite: suite, keys: [.key("tags", .array(of: .string))]),
            Migration(to: 2, "rename", .renameSetting("renamed", to: "title", in: suite)),
            Migration(to: 3, "remove", .removeSettings("removed", in: suite)),
        ]
    }
}
