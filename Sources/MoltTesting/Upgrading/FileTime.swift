package import Foundation
internal import MoltPlatform

/// The modification time of a file in nanoseconds, a precision that Foundation does not provide.
package struct FileTime {
    package enum Kind {
        case file
        case directory
        /// Including symbolic links.
        case other
    }

    package let kind: Kind
    /// Nanoseconds since 1970.
    package let modified: Int64

    /// Reads the status of a file; nil if that fails.
    package init?(of url: URL) {
        var status = stat()
        guard lstat(url.path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            default: .other
            }
        // Times before 1677 and after 2262 need more than 64 bits; the nearest value stands for them.
        let (seconds, isFarOff) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLast) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
        modified = isFarOff || isLast ? (time.tv_sec < 0 ? .min : .max) : sum
    }

    package static func write(_ content: Data, to url: URL, modified: Int64) throws {
        // Not Foundation, which would sync each file. Mode "x" refuses to overwrite a file.
        guard let file = fopen(url.path, "wx") else {
            guard errno == EEXIST else { throw failure(url) }
            throw TestingError(.fileExists, "The file exists already. Write into an empty directory.", file: url)
        }
        let written = content.withUnsafeBytes { bytes in
            bytes.count == 0 || fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count
        }
        guard fclose(file) == 0, written else { throw failure(url) }
        // Rounded down, also before 1970, because the nanoseconds must not be negative.
        let (seconds, rest) = modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(
            tv_sec: time_t(rest < 0 ? seconds - 1 : seconds),
            tv_nsec: Int(rest < 0 ? rest + 1_000_000_000 : rest)
        )
        guard utimensat(AT_FDCWD, url.path, [time, time], 0) == 0 else { throw failure(url) }
    }

    private static func failure(_ url: URL) -> TestingError {
        TestingError(.unwritable, "The file cannot be written: \(String(cString: strerror(errno))).", file: url)
    }
}
