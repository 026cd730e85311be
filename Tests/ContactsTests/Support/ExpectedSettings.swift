import Foundation

@testable import Molt

/// The settings that today's release must find in the group after upgrading any release.
enum ExpectedSettings {
    /// The expected form of the checked-in settings, written out by hand.
    static let native: [String: PropertyListValue] = [
        "showsPhotos": false,
        "signature": #""Yours, Ada""#,
        "pageSize": 50,
        "sortOrder": #""Last Name""#,
        "backupInterval": "1 Hour",
        "backupDates": [
            .date(Date(timeIntervalSinceReferenceDate: 642_000_000)),
            .date(Date(timeIntervalSinceReferenceDate: 642_086_400)),
        ],
        "favoriteGroups": ["work/lab", "club"],
        "labels": ["vip": #"{"hue":210}"#],
        "recentSearches": #"["Ada","Plat"#,
    ]
}
