internal import Foundation

/// A lock on a file or a directory that one holder at a time has, across all processes; a kill releases it.
package struct FileLock: ~Copyable {
    private let descriptor: Int32

    /// Waits for the lock; creates the file if necessary.
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

    /// Waits for the lock on a directory, which leaves no file behind.
    ///
    /// - Parameter waiting: Called repeatedly while another holder has the lock; throws to give up.
    package init(directory path: String, waiting: () throws -> Void) throws {
        try self.init(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), waiting)
    }

    // Compiled once, and not again for each closure.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    private init<Failure: Error>(_ descriptor: Int32, _ waiting: () throws(Failure) -> Void) throws {
        guard descriptor >= 0 else { throw DurableFile.Failure(number: errno) }
        guard StoreAccess.beginUse() else {
            close(descriptor)
            throw MoltError.suspended()
        }
        do {
            try poll(every: .milliseconds(2)) {
                if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
                guard errno == EWOULDBLOCK || errno == EINTR else { throw DurableFile.Failure(number: errno) }
                if StoreAccess.isSuspended { throw MoltError.suspended() }
                try waiting()
                return nil
            }
        } catch {
            close(descriptor)
            StoreAccess.endUse()
            throw error
        }
        self.descriptor = descriptor
    }

    /// Whether the file at a path is the locked one; another holder may have removed that one before it was locked.
    func isLock(on path: String) -> Bool {
        var (own, other) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &other) == 0 && own.st_dev == other.st_dev
            && own.st_ino == other.st_ino
    }

    /// The text in the locked file, which only the holder of the lock changes; nil for none.
    var note: String? {
        get throws(DurableFile.Failure) {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = pread(descriptor, &bytes, bytes.count, 0)
            guard count >= 0 else { throw DurableFile.Failure(number: errno) }
            return count == 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    /// Writes a text into the locked file, and waits until it is on disk.
    func write(note: String) throws(DurableFile.Failure) {
        let bytes = Array(note.utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
            DurableFile.sync(descriptor)
        else { throw DurableFile.Failure(number: errno) }
    }

    func removeNote() {
        // A note that comes back is checked by its reader.
        _ = ftruncate(descriptor, 0)
    }

    deinit {
        close(descriptor)
        StoreAccess.endUse()
    }
}
