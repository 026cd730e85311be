import Foundation
import Molt

/// What today's release must find in the group, whichever release's settings are upgraded.
enum ExpectedSettings {
    /// What the checked-in settings must become in the group, written out by hand.
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
