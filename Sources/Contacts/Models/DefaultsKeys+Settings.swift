package import Foundation
package import Molt

/// The settings that today's release reads, in the app group.
extension DefaultsKeys {
    /// Whether the list shows pictures.
    package static let showsPhotos = DefaultsKey<Bool>("showsPhotos", default: true)
    /// What stands below a message.
    package static let signature = DefaultsKey<String>("signature", default: "")
    /// How many people a page of the list has.
    package static let pageSize = DefaultsKey<Int16>("pageSize", default: 20)
    /// By what the list is sorted.
    package static let sortOrder = DefaultsKey<SortOrder>("sortOrder", default: .firstName)
    /// How often the address book is copied.
    package static let backupInterval = DefaultsKey<BackupInterval>("backupInterval", default: .oneDay)
    /// When it was copied, the latest time last.
    package static let backupDates = DefaultsKey<[Date]>("backupDates", default: [])
    /// The groups at the top of the list.
    package static let favoriteGroups = DefaultsKey<[String]>("favoriteGroups", default: [])
    /// How labels look, by their names.
    package static let labels = DefaultsKey<[String: Label]>("labels", default: [:])
    /// What was searched for, the latest last.
    package static let recentSearches = DefaultsKey<[String]>("recentSearches", default: [])
}
