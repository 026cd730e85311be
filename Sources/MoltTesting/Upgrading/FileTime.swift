package import Foundation

/// Writes files with modification times in nanoseconds, a precision that Foundation does not provide.
package enum FileTime {
    /// Creates a file.
    ///
    /// - Parameter modified: The modification time, in nanoseconds since 1970.
    /// - Throws: ``TestingError`` with the code `fileExists` or `unwritable`.
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
        let (seconds, remainder) = modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(
            tv_sec: time_t(remainder < 0 ? seconds - 1 : seconds),
            tv_nsec: Int(remainder < 0 ? remainder + 1_000_000_000 : remainder)
        )
        guard utimensat(AT_FDCWD, url.path, [time, time], 0) == 0 else { throw failure(url) }
    }

    private static func failure(_ url: URL) -> TestingError {
        TestingError(.unwritable, "The file cannot be written: \(String(cString: strerror(errno))).", file: url)
    }
}
