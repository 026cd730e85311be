import Foundation
import Molt
import MoltTesting

/// A store with several batches of records and two suites, and migrations of every kind for it.
enum FaultScenario {
    static let settings = Molt.Suite("app.faults")
    static let group = Molt.Suite("group.faults")

    struct Old: Codable {
        var fullName: String
    }

    struct New: Codable, Equatable {
        var firstName: String
        var lastName: String
        var greeting: String
    }

    static var fixture: StoreFixture {
        let people = (1...7).map { number in
            StoreFixture.Record("person \(number)", "Alien", .json(#"{"fullName":"First Last \#(number)"}"#))
        }
        let notes = (1...5).map { number in
            StoreFixture.Record("note \(number)", "Note", .json(#"{"text": "Note \#(number)", "stars": \#(number)}"#))
        }
        return StoreFixture(
            version: 0,
            records: zip(people, notes).flatMap { [$0, $1] } + people.dropFirst(notes.count) + [
                .init("trash", "Trash", .json("{}")), .init("image", "Image", .data(Data([1, 2, 3]))),
            ],
            suites: [
                settings: ["volume": 0.5, "theme": "dark", "names": ["a", "b"]],
                group: ["shared": true],
            ]
        )
    }

    static let migrations = MigrationRegistry(recordMigrations + settingsMigrations.migrations)

    private static let recordMigrations: [Migration] =
        [
            Migration(to: 1, "alien-becomes-person", .renameType("Alien", to: "Person")),
            Migration(
                to: 2,
                "split-name",
                .convert("Person", from: Old.self, to: New.self) { old in
                    let parts = old.fullName.split(separator: " ", maxSplits: 1).map(String.init)
                    return New(
                        firstName: parts[0],
                        lastName: parts[1],
                        greeting: String(repeating: "Hello \(parts[0])! ", count: 80)
                    )
                }
            ),
            Migration(
                to: 3,
                "notes",
                .renameProperty("Note", "text", to: "body"),
                .transform("Note") { note in
                    guard note.key != "note 2" else { return note.drop() }
                    if note.key == "note 3" { note.key = "third note" }
                    note.expiration = Date(timeIntervalSince1970: 4_000_000_000)
                },
                .deleteType("Trash")
            ),
            Migration(
                to: 4,
                "index",
                .run("make an index") { migration in
                    var count = 0
                    try migration.enumerate("Note") { old, new in
                        count += 1
                        new["number"] = .int(Int64(count))
                        if old.key == "note 4" { new.drop() }
                    }
                    try migration.delete("person 7")
                    try migration.create("Index", forKey: "notes", ["count": count])
                }
            ),
        ]

    /// The migrations that need only suites.
    static let settingsMigrations: MigrationRegistry = [
        Migration(
            to: 5,
            "volumes",
            .changeSettings(in: settings, "split the volume") { settings in
                guard let volume = try settings.value(forKey: "volume") else { return }
                try settings.set(volume, forKey: "musicVolume")
                try settings.set(volume, forKey: "speechVolume")
                try settings.removeValue(forKey: "volume")
            }
        ),
        Migration(to: 6, "style", .renameSetting("theme", to: "style", in: settings)),
        .suiteToAppGroup(to: 7, from: settings, into: group, removingSource: true),
    ]

    /// Settings without a cache.
    static var settingsFixture: StoreFixture {
        StoreFixture(primary: .suite(settings), version: 1, suites: fixture.suites)
    }
}
