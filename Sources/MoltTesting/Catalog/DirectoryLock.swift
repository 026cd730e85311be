internal import Foundation
internal import MoltCore
internal import Synchronization

/// Lets one holder at a time, of all processes, change what a directory has.
enum DirectoryLock {
    private static let threads = Mutex(())

    /// Runs a closure while nobody else runs one for the same directory, which is made when there is none.
    ///
    /// - Throws: What the closure throws; ``TestingError`` with the code `unwritable` when there can be no directory.
    static func with(_ directory: URL, _ body: () throws -> Void) throws {
        try threads.withLock { _ in
            do {
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            } catch {
                throw TestingError(.unwritable, "There can be no such directory.", file: directory, underlying: error)
            }
            // Some network file systems lock no directory. Who records there by several processes may lose a line, and
            // the next run tells; nobody should be kept from recording for that.
            let lock = try? FileLock(directory: directory.path) {}
            try withExtendedLifetime(lock) { try body() }
        }
    }
}
