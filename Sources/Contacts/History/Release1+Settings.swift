internal import Foundation
package import Molt

/// How release 1 kept its settings: with Defaults 4, in the app's own suite. Releases 2 and 3 left them so.
extension Release1 {
    /// Its models of what is in the settings.
    private enum Old {
        enum SortOrder: String, Codable { case lastName = "Last Name" }
        enum BackupInterval: String, Codable { case oneHour = "1 Hour" }
        struct Label: Codable { var hue: Int }
    }

    /// Settings as the release wrote them.
    ///
    /// - Throws: What encoding throws.
    package static func settings() throws -> [String: PropertyListValue] {
        [
            "showsPhotos": false,
            "signature": #""Yours, Ada""#,
            "pageSize": try defaults4(Int16(50)),
            "sortOrder": try defaults4(Old.SortOrder.lastName),
            "backupInterval": try defaults4(Old.BackupInterval.oneHour),
            "backupDates": try defaults4([642_000_000, 642_086_400].map(Date.init(timeIntervalSinceReferenceDate:))),
            "favoriteGroups": try defaults4(["work/lab", "club"]),
            "labels": try defaults4(["vip": Old.Label(hue: 210)]),
            "recentSearches": SampleData.damagedSearches,
        ]
    }

    /// What Defaults 4 made of a value that was no Bool, Int, Double, Float, String, Date or Data.
    ///
    /// Its source encodes an array of the one value, and cuts off the brackets.
    private static func defaults4(_ value: some Encodable) throws -> PropertyListValue {
        .string(String(decoding: try JSONEncoder().encode([value]).dropFirst().dropLast(), as: UTF8.self))
    }
}
