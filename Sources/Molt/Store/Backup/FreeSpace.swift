internal import Foundation

/// The free disk space, with all platform differences in one place.
package enum FreeSpace {
    /// The number of bytes that this process can still write in a directory; nil if the system does not say.
    package static func bytes(at directory: String) -> Int64? {
        #if os(macOS) || os(iOS) || os(visionOS)
            // Includes space that the system would free for a user's request.
            let url = URL(fileURLWithPath: directory, isDirectory: true)
            // If the system does not say, ask the volume below.
            let values = try? url.resourceValues(forKeys: [.volumeAvailableCapacityForImportantUsageKey])
            if let capacity = values?.volumeAvailableCapacityForImportantUsage, capacity > 0 { return capacity }
        #endif
        var status = statvfs()
        // Some network file systems say that they have no blocks.
        guard statvfs(directory, &status) == 0, status.f_blocks > 0 else { return nil }
        let (bytes, isMore) = Int64(clamping: UInt64(status.f_bavail))
            .multipliedReportingOverflow(by: Int64(clamping: UInt64(status.f_frsize)))
        return isMore ? .max : bytes
    }
}
