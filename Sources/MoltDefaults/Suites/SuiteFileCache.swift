#if !canImport(Darwin)
    internal import Foundation
    internal import Synchronization

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// What was last read from suites' files, so that a file that did not change is not read for every value.
    ///
    /// A value from here is only given out when the library sees the same, so a change that the file's status does not
    /// show does no harm.
    final class SuiteFileCache: Sendable {
        /// The one of this process.
        static let shared = SuiteFileCache()

        private struct Stamp: Equatable {
            var number: UInt64
            var size: Int
            var modified: [Int]
        }

        private let files = Mutex<[String: (stamp: Stamp, values: [String: PropertyListValue])]>([:])

        /// What is in a file.
        ///
        /// - Throws: ``DefaultsError`` as ``SuiteFile/read()``.
        func values(of file: SuiteFile) throws(DefaultsError) -> [String: PropertyListValue] {
            guard let stamp = Self.stamp(of: file.path) else { return try file.read() }
            if let known = files.withLock({ $0[file.path] }), known.stamp == stamp { return known.values }
            let values = try file.locked { () throws(DefaultsError) in try file.read() }
            files.withLock { $0[file.path] = (stamp, values) }
            return values
        }

        private static func stamp(of path: String) -> Stamp? {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            let modified = [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ]
            return Stamp(number: UInt64(status.st_ino), size: Int(status.st_size), modified: modified)
        }
    }
#endif
