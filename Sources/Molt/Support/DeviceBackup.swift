#if canImport(Darwin)
    internal import Foundation
#endif

/// The backups that a device makes of an app's files, to iCloud or to a computer.
enum DeviceBackup {
    /// Leaves a file out of the device's backups, since it is a copy of another file or of use to this device only.
    ///
    /// A failure makes the backups larger, and nothing else. Linux has no such backups.
    static func exclude(_ path: String) {
        #if canImport(Darwin)
            var url = URL(fileURLWithPath: path)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? url.setResourceValues(values)
        #endif
    }
}
