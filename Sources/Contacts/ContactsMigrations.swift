package import Molt

/// Returns every change of the models and settings since release 1, in the order in which they shipped.
///
/// A version is the number of the release that introduced it. Stores of release 1 are at version 0, because it had
/// nothing to migrate.
///
/// - Parameter settings: The suites with the settings.
package func migrations(settings: SettingsSuites) -> MigrationRegistry {
    [
        // Release 2: an alien is a person, and mail is email.
        Migration(to: 2, "alien-becomes-person", .renameType("Alien", to: "Person")),
        Migration(to: 2, "mail-becomes-email", .renameProperty("Person", "mail", to: "email")),

        // Release 3: a name has two parts, and an address is a separate value.
        Migration(
            to: 3,
            "split-full-name",
            .splitProperty("Person", "fullName", into: ["firstName", "lastName"])
        ),
        Migration(
            to: 3,
            "nest-address",
            .moveProperty("Person", "street", to: ["address", "street"]),
            .moveProperty("Person", "city", to: ["address", "city"])
        ),

        // Release 4: the fax number is removed, a person can be a favorite and have a nickname, and the length of a
        // call is in seconds.
        Migration(to: 4, "remove-fax", .removeProperty("Person", "fax")),
        Migration(to: 4, "favorites", .addProperty("Person", "isFavorite", default: false)),
        Migration(to: 4, "nickname-added"),
        Migration(
            to: 4,
            "call-length-in-seconds",
            .convert("Call", from: CallV1.self, to: CallV4.self) { call in
                let parts = call.length.split(separator: ":")
                guard parts.count == 2, let minutes = Int32(parts[0]), let seconds = Int32(parts[1]) else {
                    throw CallV1.UnreadableLength()
                }
                return CallV4(person: call.person, seconds: Int(minutes) * 60 + Int(seconds))
            }
        ),
        // Its settings are native and shared with a widget. Releases 1 to 3 kept the settings that Defaults 4 had
        // written.
        .defaultsV4ToV5(to: 4, suite: settings.own, keys: settingsV4),
        .suiteToAppGroup(to: 4, from: settings.own, into: settings.group, removingSource: true),
    ]
}

// A migration has its own models and keys: today's may change again, but the migration must not.

private struct CallV1: Codable {
    var person: String
    /// Minutes and seconds, as in "2:05".
    var length: String

    struct UnreadableLength: Error {}
}

private struct CallV4: Codable {
    var person: String
    var seconds: Int
}

/// The interval between backups: JSON text in releases 1 to 3, and its raw value since.
private enum BackupIntervalV4: String, Codable, SettingValue {
    static var settingCoding: SettingCoding<Self> { .rawValue }

    case oneHour = "1 Hour"
    case oneDay = "1 Day"
}

/// The settings, in their forms after the migration.
private let settingsV4: [SettingKeys] = [
    .key("showsPhotos", .bool),
    .key("signature", .string),
    .key("pageSize", .integer(Int16.self)),
    .key("sortOrder", .codable),
    .key("backupInterval", .decoded(BackupIntervalV4.self) { $0 }),
    .key("backupDates", .array(of: .date)),
    .key("favoriteGroups", .array(of: .string)),
    .key("labels", .dictionary(of: .codable)),
    .key("recentSearches", .array(of: .string)),
]
