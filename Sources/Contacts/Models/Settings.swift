package import Foundation
package import Molt

/// The settings as today's release reads them, but for the recent searches, which may be damaged.
package struct Settings: Hashable, Sendable {
    /// Whether the list shows pictures.
    package var showsPhotos: Bool
    /// What stands below a message.
    package var signature: String
    /// How many people a page of the list has.
    package var pageSize: Int16
    /// By what the list is sorted.
    package var sortOrder: SortOrder
    /// How often the address book is copied.
    package var backupInterval: BackupInterval
    /// When it was copied, the latest time last.
    package var backupDates: [Date]
    /// The groups at the top of the list.
    package var favoriteGroups: [String]
    /// How labels look, by their names.
    package var labels: [String: Label]
}

extension Settings {
    /// Reads the settings of a suite.
    ///
    /// - Throws: `DefaultsError` with the code `typeMismatch` for one that is not of today's type.
    package init(in suite: Suite) throws {
        showsPhotos = try suite.value(for: .showsPhotos)
        signature = try suite.value(for: .signature)
        pageSize = try suite.value(for: .pageSize)
        sortOrder = try suite.value(for: .sortOrder)
        backupInterval = try suite.value(for: .backupInterval)
        backupDates = try suite.value(for: .backupDates)
        favoriteGroups = try suite.value(for: .favoriteGroups)
        labels = try suite.value(for: .labels)
    }
}
