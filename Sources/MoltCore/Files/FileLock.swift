internal import Foundation
internal import MoltPlatform

/// A lock on a file or a directory that one holder at a time has, across all processes; a kill releases it.
package struct FileLock: ~Copyable {
    private let descriptor: Int32
    /// The file to remove when the lock is released.
    private var path: String?

    /// Waits for the lock; creates the file if necessary, and keeps it.
    ///
    /// - Parameter waiting: Called repeatedly while another holder has the lock; throws to give up.
    package init(_ path: String, waiting: () throws -> Void) throws {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW
        let descriptor = open(path, flags, S_IRUSR | S_IWUSR)
        guard descriptor < 0 || DurableFile.isFile(descriptor) else {
            close(descriptor)
            throw DurableFile.Failure(number: EINVAL)
        }
        try self.init(descriptor, waiting)
    }

    /// Waits for the lock; creates the file if necessary, and removes it when the lock is released.
    ///
    /// - Parameter waiting: Called repeatedly while another holder has the lock; throws to give up.
    package static func removedAfterUse(_ path: String, waiting: () throws -> Void) throws -> FileLock {
        while true {
            var lock = try FileLock(path, waiting: waiting)
            var status = stat()
            // A file that the previous holder has removed is useless: other processes create a new one.
            guard fstat(lock.descriptor, &status) == 0, status.st_nlink > 0 else { continue }
            lock.path = path
            return lock
        }
    }

    /// Waits for the lock on a directory, which leaves no file behind.
    ///
    /// - Parameter waiting: Called repeatedly while another holder has the lock; throws to give up.
    package init(directory path: String, waiting: () throws -> Void) throws {
        try self.init(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), waiting)
    }

    private init(_ descriptor: Int32, _ waiting: () throws -> Void) throws {
        guard descriptor >= 0 else { throw DurableFile.Failure(number: errno) }
        guard StoreAccess.enter() else {
            close(descriptor)
            throw MigrationError.suspended()
        }
        do {
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                guard errno == EWOULDBLOCK || errno == EINTR else { throw DurableFile.Failure(number: errno) }
                if StoreAccess.isSuspended { throw MigrationError.suspended() }
                try waiting()
                Thread.sleep(forTimeInterval: 0.002)
            }
        } catch {
            close(descriptor)
            StoreAccess.leave()
            throw error
        }
        self.descriptor = descriptor
    }

    deinit {
        if let path { unlink(path) }
        close(descriptor)
        StoreAccess.leave()
    }
}
