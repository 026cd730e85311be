internal import Foundation
package import Molt

extension SampleData {
    /// The settings of every release before today's, as today's must read them.
    package static let settings = Settings(
        showsPhotos: false,
        signature: #""Yours, Ada""#,
        pageSize: 50,
        sortOrder: .lastName,
        backupInterval: .oneHour,
        backupDates: [642_000_000, 642_086_400].map(Date.init(timeIntervalSinceReferenceDate:)),
        favoriteGroups: ["work/lab", "club"],
        labels: ["vip": Label(hue: 210)]
    )

    /// The recent searches as release 1 left them on a disk that was full: the text is torn.
    package static let damagedSearches: PropertyListValue = #"["Ada","Plat"#

    /// Compares settings that were upgraded with what they must be.
    ///
    /// - Throws: ``ContactsError`` for the first setting that is wrong, lost, or still at its old place.
    package static func check(_ suites: SettingsSuites) throws {
        guard try Settings(in: suites.group) == settings else { throw ContactsError.wrongSettings(suites.group) }
        guard try suites.group.value(forKey: DefaultsKeys.recentSearches.name) == damagedSearches else {
            throw ContactsError.wrongValue(key: DefaultsKeys.recentSearches.name)
        }
        guard try suites.own.values().isEmpty else { throw ContactsError.wrongSettings(suites.own) }
    }
}
