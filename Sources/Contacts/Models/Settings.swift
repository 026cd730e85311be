package import Foundation
package import Molt

/// The settings that today's release reads, in the app group.
extension SettingKeys {
    package static let showsPhotos = SettingKey<Bool>("showsPhotos", default: true)
    package static let signature = SettingKey<String>("signature", default: "")
    package static let pageSize = SettingKey<Int16>("pageSize", default: 20)
    package static let sortOrder = SettingKey<SortOrder>("sortOrder", default: .firstName)
    package static let backupInterval = SettingKey<BackupInterval>("backupInterval", default: .oneDay)
    package static let backupDates = SettingKey<[Date]>("backupDates", default: [])
    package static let favoriteGroups = SettingKey<[String]>("favoriteGroups", default: [])
    package static let labels = SettingKey<[String: Label]>("labels", default: [:])
    package static let recentSearches = SettingKey<[String]>("recentSearches", default: [])
}

/// The sort order of the list of people, stored as JSON text in every release.
package enum SortOrder: String, Codable, Sendable, SettingValue {
    case firstName = "First Name"
    case lastName = "Last Name"
}

/// The look of people with a label in the list; unchanged in every release so far.
package struct Label: Codable, Hashable, Sendable, SettingValue {
    /// The angle on the color wheel, from 0 to 359.
    package var hue: Int

    package init(hue: Int) {
        self.hue = hue
    }
}

/// The interval between backups of the address book, stored as its raw value since release 4.
package enum BackupInterval: String, Sendable, SettingValue {
    case oneHour = "1 Hour"
    case oneDay = "1 Day"
}

/// The suites with the settings: the app's own until release 3, and that of an app group since.
///
/// An app would use `.standard` and its group. The command creates two suites for each run, so that it does not change
/// anybody's settings.
package struct SettingsSuites: Sendable {
    package let own: Suite
    package let group: Suite

    /// Creates two suites whose names end with an identifier.
    package init(id: String = String(UUID().uuidString.prefix(8))) {
        own = Suite("contacts.\(id)")
        group = Suite("contacts-group.\(id)")
    }

    /// Two suites that are always empty; their names are those in the tests' fixtures.
    package static let empty = SettingsSuites(id: "fixtures")

    package func remove() {
        // On other platforms they are files in the run's scratch directory, which is removed.
        #if canImport(Darwin)
            for suite in [own, group] {
                UserDefaults(suiteName: suite.domainName)?.removePersistentDomain(forName: suite.domainName)
            }
        #endif
    }
}
