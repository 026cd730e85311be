package import Foundation

/// Writes and removes files so that a kill or a power loss leaves either the old or the new file, complete and on disk.
package enum DurableFile {
    /// The error number of a system call that failed.
    package struct Failure: Error {
        package var number: Int32

        package init(number: Int32) {
            self.number = number
        }

        /// The app has suspended its access to stores.
        package static let suspended = Failure(number: ECANCELED)

        package var isSuspension: Bool { number == ECANCELED }

        package var isExisting: Bool { number == EEXIST }

        /// Whether the disk is full, or a quota or size limit is reached.
        package var isOutOfSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

        package var reason: String { String(cString: strerror(number)) }
    }

    /// Replaces or creates a file, which only its owner may use.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - bytes: The content of the file.
    ///   - temporary: A file in the same directory that holds the bytes until they are all on disk.
    package static func replace(_ path: String, with bytes: Data, by temporary: String) throws(Failure) {
        // Only a new file is safe: a link would truncate another file, and a pipe would block forever.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw Failure(number: errno) }
        defer { close(descriptor) }
        do throws(Failure) {
            try append(bytes, to: descriptor)
            guard DiskSync.file(descriptor), rename(temporary, path) == 0 else { throw Failure(number: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
        try sync(directory: (path as NSString).deletingLastPathComponent)
    }

    /// Creates a file that appears under its name only when it is complete and on disk; no file is replaced.
    ///
    /// - Parameters:
    ///   - path: The file; the failure is `EEXIST` when it exists.
    ///   - bytes: The content of the file.
    ///   - temporary: A file in the same directory that holds the bytes until they are all on disk. A leftover of a
    ///     kill is removed; if another process is writing the file, the failure is `EEXIST` too.
    package static func create(_ path: String, with bytes: Data, by temporary: String) throws(Failure) {
        PartFile.removeLeftover(temporary)
        let part = try PartFile(temporary)
        try part.write(bytes)
        try part.publish(as: path)
    }

    /// Gives a synced file its final name, unless that name is taken.
    ///
    /// Where no atomic rename is available, a kill may leave both names for the one file.
    package static func publish(_ temporary: String, as path: String) throws(Failure) {
        let isRenamed = renameUnlessExisting(temporary, path)
        guard !isRenamed, link(temporary, path) != 0 else {
            // The file has its final name, whether or not the other one can be removed.
            if !isRenamed { unlink(temporary) }
            do throws(Failure) {
                return try sync(directory: (path as NSString).deletingLastPathComponent)
            } catch {
                // The name is ours, and the caller will try again after this failure.
                unlink(path)
                throw error
            }
        }
        guard errno != EEXIST else { throw Failure(number: EEXIST) }
        // Some file systems do not support hard links.
        var status = stat()
        guard lstat(path, &status) != 0 else { throw Failure(number: EEXIST) }
        try move(temporary, to: path)
    }

    /// Renames a file atomically unless the new name is taken; false where the system or the volume cannot.
    ///
    /// Apple's build of SQLite considers a file moved as soon as it has two names.
    private static func renameUnlessExisting(_ path: String, _ newPath: String) -> Bool {
        #if canImport(Darwin)
            return renamex_np(path, newPath, UInt32(RENAME_EXCL)) == 0
        #else
            return false
        #endif
    }

    /// The contents of a regular file, or nil when there is none; it does not follow symbolic links.
    package static func read(_ path: String) throws -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Failure(number: errno)
        }
        defer { close(descriptor) }
        guard isFile(descriptor) else { throw Failure(number: EINVAL) }
        return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data()
    }

    /// Whether a file descriptor is that of a regular file.
    package static func isFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether two paths lead to the same file, also through links.
    package static func isSame(_ path: String, _ other: String) -> Bool {
        var (status, otherStatus) = (stat(), stat())
        guard stat(path, &status) == 0, stat(other, &otherStatus) == 0 else { return false }
        return status.st_dev == otherStatus.st_dev && status.st_ino == otherStatus.st_ino
    }

    /// Renames a file within its directory.
    package static func move(_ path: String, to newPath: String) throws(Failure) {
        guard rename(path, newPath) == 0 else { throw Failure(number: errno) }
        try sync(directory: (newPath as NSString).deletingLastPathComponent)
    }

    package static func remove(_ path: String) throws(Failure) {
        guard unlink(path) == 0 else {
            if errno == ENOENT { return }
            throw Failure(number: errno)
        }
        try sync(directory: (path as NSString).deletingLastPathComponent)
    }

    /// Syncs a file that other code has written; does nothing when there is none.
    package static func sync(_ path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor >= 0 {
            defer { close(descriptor) }
            guard DiskSync.file(descriptor) else { throw Failure(number: errno) }
        } else if errno != ENOENT {
            throw Failure(number: errno)
        }
    }

    package static func sync(directory: String) throws(Failure) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(number: errno) }
        defer { close(descriptor) }
        guard !DiskSync.file(descriptor) else { return }
        // Some file systems report that they cannot sync a directory; SQLite ignores that error too.
        guard [EINVAL, ENOTSUP, EBADF].contains(errno) else { throw Failure(number: errno) }
    }

    /// Writes bytes at a file descriptor's current position.
    static func append(_ bytes: Data, to descriptor: Int32) throws(Failure) {
        let number = bytes.withUnsafeBytes { bytes -> Int32 in
            var written = 0
            while written < bytes.count {
                let count = write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                if count < 0, errno != EINTR { return errno }
                written += max(count, 0)
            }
            return 0
        }
        guard number == 0 else { throw Failure(number: number) }
    }
}
