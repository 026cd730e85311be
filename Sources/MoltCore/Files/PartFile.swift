package import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A file that does not count yet: it has a name of its own until it is whole and on disk.
///
/// Its maker holds a lock on it, so that others can tell what a kill has left from what is being made. Nobody but its
/// maker has it open, so that the bytes of a database may be changed beside SQLite.
package final class PartFile {
    /// Where it is until it counts.
    package let path: String
    /// For reading and writing; open as long as this object is there.
    package let descriptor: Int32
    private var isPublished = false

    /// What SQLite may have made beside a database that was cut off.
    private static let suffixes = ["", "-journal", "-wal", "-shm"]

    /// Makes an empty file that only its owner may use; what is there already, a link too, is not touched.
    ///
    /// - Throws: A failure with the number `EEXIST` when another name is to be tried.
    package init(_ path: String) throws(DurableFile.Failure) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw DurableFile.Failure(number: errno) }
        var status = stat()
        // Some network file systems lock no file; there the lock is not needed to write.
        let isLost = !Self.lock(descriptor) && errno == EWOULDBLOCK
        guard !isLost, fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
            // Between the two calls somebody took it for what a kill has left, and has removed it or is about to.
            close(descriptor)
            throw DurableFile.Failure(number: EEXIST)
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        if !isPublished {
            for suffix in Self.suffixes { unlink(path + suffix) }
        }
        close(descriptor)
    }

    /// Writes what comes next.
    package func write(_ bytes: Data) throws(DurableFile.Failure) {
        try DurableFile.append(bytes, to: descriptor)
    }

    /// Sees to it that all is on disk, and then gives the file the name by which it counts, unless something has it.
    ///
    /// - Throws: A failure with the number `EEXIST` when something is there.
    package func publish(as path: String) throws(DurableFile.Failure) {
        guard DiskSync.file(descriptor) else { throw DurableFile.Failure(number: errno) }
        try DurableFile.publish(self.path, as: path)
        isPublished = true
    }

    /// Sees to it that all is on disk, and then puts the file in the place of another one.
    package func replace(_ path: String) throws(DurableFile.Failure) {
        guard DiskSync.file(descriptor) else { throw DurableFile.Failure(number: errno) }
        try DurableFile.move(self.path, to: path)
        isPublished = true
    }

    /// Removes a file that a killed maker has left; one that is being made stays.
    package static func removeLeftover(_ path: String) {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            // A link is no file of ours, and where it leads is not looked at.
            if errno == ELOOP { unlink(path) }
            return
        }
        defer { close(descriptor) }
        var opened = stat()
        var found = stat()
        // Another maker may have removed it since, and have made its own.
        guard lock(descriptor), fstat(descriptor, &opened) == 0, lstat(path, &found) == 0,
            opened.st_dev == found.st_dev, opened.st_ino == found.st_ino
        else { return }
        for suffix in suffixes { unlink(path + suffix) }
    }

    /// Takes the lock that tells others that the file is being made; `errno` says why it cannot.
    private static func lock(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // There, the lock of a whole file shuts out those that SQLite takes, of the same process too. So one byte is
            // locked that SQLite never locks, for the open file and not for the process: F_OFD_SETLK of <sys/fcntl.h>.
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
