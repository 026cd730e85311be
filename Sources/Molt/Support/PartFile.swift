package import Foundation

/// A file under a temporary name, which gets its final name once it is complete and on disk.
///
/// The process that writes it holds a lock on it, so that other processes can tell a file in progress from a leftover
/// of a kill. No other process has it open, so a database file may be changed without SQLite.
package final class PartFile {
    /// The temporary path.
    package let path: String
    /// The file descriptor for reading and writing, open during the object's lifetime.
    package let descriptor: Int32
    private var isPublished = false

    /// The suffixes of files that SQLite may have left beside an incomplete database.
    private static let suffixes = ["", "-journal", "-wal", "-shm"]

    /// Creates an empty file that only its owner may use; an existing file or link is left alone.
    ///
    /// - Throws: A failure with the number `EEXIST` if the caller should try another name.
    package init(_ path: String) throws(DurableFile.Failure) {
        guard StoreAccess.beginUse() else { throw .suspended }
        var isOpen = false
        defer { if !isOpen { StoreAccess.endUse() } }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw DurableFile.Failure(number: errno) }
        var status = stat()
        // Some network file systems do not support locks; writing is safe there without one.
        let isLost = !Self.lock(descriptor) && errno == EWOULDBLOCK
        guard !isLost, fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
            // Between the two calls another process took the file for a leftover, and has removed it or is about to.
            close(descriptor)
            throw DurableFile.Failure(number: EEXIST)
        }
        self.path = path
        self.descriptor = descriptor
        isOpen = true
    }

    deinit {
        if !isPublished {
            for suffix in Self.suffixes { unlink(path + suffix) }
        }
        close(descriptor)
        StoreAccess.endUse()
    }

    @inline(never)
    package func write(_ bytes: Data) throws(DurableFile.Failure) {
        let number = bytes.withUnsafeBytes { bytes -> Int32 in
            var written = 0
            while written < bytes.count {
                let base = bytes.baseAddress?.advanced(by: written)
                let count = Foundation.write(descriptor, base, bytes.count - written)
                if count < 0, errno != EINTR { return errno }
                written += max(count, 0)
            }
            return 0
        }
        guard number == 0 else { throw DurableFile.Failure(number: number) }
    }

    package func sync() throws(DurableFile.Failure) {
        guard DurableFile.sync(descriptor) else { throw DurableFile.Failure(number: errno) }
    }

    /// Syncs the file, and then gives it its final name, unless that name is taken.
    ///
    /// - Throws: A failure with the number `EEXIST` if the name is taken.
    package func publish(as path: String) throws(DurableFile.Failure) {
        try sync()
        try DurableFile.publish(self.path, as: path)
        isPublished = true
    }

    /// Syncs the file, and then replaces another file with it.
    package func replace(_ path: String) throws(DurableFile.Failure) {
        try sync()
        try DurableFile.move(self.path, to: path)
        isPublished = true
    }

    /// Removes a leftover of a kill; a file in progress is left alone.
    package static func removeLeftover(_ path: String) {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            // A link is not our file; its destination is left alone.
            if errno == ELOOP { unlink(path) }
            return
        }
        defer { close(descriptor) }
        var opened = stat()
        var found = stat()
        // Another process may have removed the file and created its own.
        guard lock(descriptor), fstat(descriptor, &opened) == 0, lstat(path, &found) == 0,
            opened.st_dev == found.st_dev, opened.st_ino == found.st_ino
        else { return }
        for suffix in suffixes { unlink(path + suffix) }
    }

    /// Locks a file in progress; sets `errno` on failure.
    private static func lock(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // On Darwin a lock on the whole file would conflict with SQLite's locks, even in the same process. So this
            // locks one byte that SQLite never locks, for the open file and not for the process: F_OFD_SETLK of
            // <sys/fcntl.h>.
            var range = Darwin.flock()
            range.l_type = Int16(F_WRLCK)
            range.l_whence = Int16(SEEK_SET)
            range.l_start = 0x4000_0000 + 4_096
            range.l_len = 1
            return fcntl(descriptor, 90, &range) == 0
        #else
            return flock(descriptor, LOCK_EX | LOCK_NB) == 0
        #endif
    }
}
