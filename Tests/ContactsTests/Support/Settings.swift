import Foundation
import contacts

@testable import Molt

/// Today's registry over empty suites, for tests that are not about settings.
let migrations = contacts.migrations(settings: .empty)

extension SettingsSuites {
    /// New suites with release 1's settings in the app's own suite.
    static func ofRelease1() throws -> SettingsSuites {
        let suites = SettingsSuites()
        try suites.own.update(set: Release.settings())
        return suites
    }
}

/// The settings as release 1 wrote them with Defaults 4.
func release1Settings() throws -> [String: PropertyListValue] {
    [
        "showsPhotos": false,
        "signature": #""Yours, Ada""#,
        "pageSize": try defaults4(Int16(50)),
        "sortOrder": try defaults4(Old.SortOrder.lastName),
        "backupInterval": try defaults4(Old.BackupInterval.oneHour),
        "backupDates": try defaults4([642_000_000, 642_086_400].map(Date.init(timeIntervalSinceReferenceDate:))),
        "favoriteGroups": try defaults4(["work/lab", "club"]),
        "labels": try defaults4(["vip": Old.Label(hue: 210)]),
        // A truncated value, as release 1 left it on a full disk.
        "recentSearches": #"["Ada","Plat"#,
    ]
}

/// The models of release 1.
private enum Old {
    enum SortOrder: String, Codable { case lastName = "Last Name" }
    enum BackupInterval: String, Codable { case oneHour = "1 Hour" }
    struct Label: Codable { var hue: Int }
}

/// The string that Defaults 4 stored for a value of any type but Bool, Int, Double, Float, String, Date or Data.
///
/// Like the source of Defaults 4, it encodes an array of the one value and cuts off the brackets.
private func defaults4(_ value: some Encodable) throws -> PropertyListValue {
    .string(String(decoding: try JSONEncoder().encode([value]).dropFirst().dropLast(), as: UTF8.self))
}
