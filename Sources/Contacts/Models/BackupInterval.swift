internal import Molt

/// How often the address book is copied; in the settings it stands as its raw value, new in release 4.
package enum BackupInterval: String, Sendable, DefaultsNativeType {
    /// Every hour.
    case oneHour = "1 Hour"
    /// Every day.
    case oneDay = "1 Day"

    /// The same as it stood in the settings of releases 1 to 3: as JSON text.
    package enum CodableForm: String, DefaultsCodableType {
        /// Every hour.
        case oneHour = "1 Hour"
        /// Every day.
        case oneDay = "1 Day"

        /// The type of today.
        package typealias NativeForm = BackupInterval
    }
}
