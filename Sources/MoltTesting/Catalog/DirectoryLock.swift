internal import Foundation
internal import MoltDefaults

/// Lets one holder at a time, of all processes, change what a directory has.
enum DirectoryLock {
    /// Runs a closure while nobody else runs one for the same directory, which is made when there is none.
    ///
    /// - Throws: What the closure throws; ``TestingError`` with the code `unwritable` when there can be no lock.
    static func with<Result>(_ directory: URL, _ body: () throws -> Result) throws -> Result {
        let lock: FileLock
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            // Others hold it for the time of one small file.
            lock = try FileLock(directory: directory.path) {}
        } catch {
            throw TestingError(.unwritable, "The directory cannot be locked.", file: directory, underlying: error)
        }
        return try withExtendedLifetime(lock) { try body() }
    }
}
