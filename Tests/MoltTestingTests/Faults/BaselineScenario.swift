import Foundation
import Molt
import MoltTesting

/// A store of an app that has counted versions itself, and a registry with a shortcut.
enum BaselineScenario {
    static let suite = Molt.Suite("app.entering")

    static var fixture: StoreFixture {
        StoreFixture(
            version: 0,
            records: (1...7).map { .init("\($0)", "Person", .json(#"{"name":"\#($0)"}"#)) },
            suites: [suite: ["version": 1, "name": "n"]]
        )
    }

    static let migrations = MigrationRegistry([
        // It would remove what the others rename.
        Migration(to: 1, "first", .removeProperty("Person", "name"), .removeSettings("name", in: suite)),
        Migration(to: 3, "records", .renameProperty("Person", "name", to: "title")),
        Migration(to: 4, "settings", .renameSetting("name", to: "title", in: suite)),
        Migration(
            to: 4,
            "both",
            replacing: ["records", "settings"],
            .renameProperty("Person", "name", to: "title"),
            .renameSetting("name", to: "title", in: suite)
        ),
    ])
    .baseline { store in try store.settings(in: suite)["version"]?.int.map { Int($0) } }
}
