internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// How much may be written: the one place where the platforms are asked for it.
package enum FreeSpace {
    /// The bytes that this process may still write in a directory; nil when the system gives no answer.
    package static func bytes(at directory: String) -> Int64? {
        #if os(macOS) || os(iOS) || os(visionOS)
            // What the system would make room for, as it does for what a user asked for, counts as free.
            let url = URL(fileURLWithPath: directory, isDirectory: true)
            // Where the system gives no answer, the volume does, below.
            let values = try? url.resourceValues(forKeys: [.volumeAvailableCapacityForImportantUsageKey])
            if let capacity = values?.volumeAvailableCapacityForImportantUsage, capacity > 0 { return capacity }
        #endif
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        let (bytes, isMore) = Int64(clamping: UInt64(status.f_bavail))
            .multipliedReportingOverflow(by: Int64(clamping: UInt64(status.f_frsize)))
        return isMore ? .max : bytes
    }
}
