package import Foundation

/// Renames and removes files so that a kill or a power loss leaves either the old or the new file, complete and on
/// disk.
package enum DurableFile {
    /// The error number of a system call that failed.
    package struct Failure: Error {
        package var number: Int32

        package init(number: Int32) {
            self.number = number
        }

        /// The app has suspended its access to stores.
        package static let suspended = Failure(number: ECANCELED)

        var isSuspension: Bool { number == ECANCELED }

        package var isExisting: Bool { number == EEXIST }

        /// Whether the disk is full, or a quota or size limit is reached.
        var isOutOfSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

        package var reason: String { String(cString: strerror(number)) }
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
    @inline(never)
    package static func move(_ path: String, to newPath: String) throws(Failure) {
        guard rename(path, newPath) == 0 else { throw Failure(number: errno) }
        try sync(directory: (newPath as NSString).deletingLastPathComponent)
    }

    /// Renames a file, also into another directory of the volume, unless the new name is taken.
    ///
    /// Where no such rename is available, the caller has to keep others from making a file of the new name.
    ///
    /// - Throws: A failure with the number `EEXIST` if the name is taken, and `EXDEV` for another volume.
    static func move(_ path: String, toUnused newPath: String) throws(Failure) {
        if !renameUnlessExisting(path, newPath) {
            var status = stat()
            guard lstat(newPath, &status) != 0 else { throw Failure(number: EEXIST) }
            guard rename(path, newPath) == 0 else { throw Failure(number: errno) }
        }
        for path in [newPath, path] { try sync(directory: (path as NSString).deletingLastPathComponent) }
    }

    @inline(never)
    package static func remove(_ path: String) throws(Failure) {
        guard unlink(path) == 0 else {
            if errno == ENOENT { return }
            throw Failure(number: errno)
        }
        try sync(directory: (path as NSString).deletingLastPathComponent)
    }

    // MARK: Syncing

    /// Syncs a file that other code has written; does nothing when there is none.
    package static func sync(_ path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor >= 0 {
            defer { close(descriptor) }
            guard sync(descriptor) else { throw Failure(number: errno) }
        } else if errno != ENOENT {
            throw Failure(number: errno)
        }
    }

    @inline(never)
    package static func sync(directory: String) throws(Failure) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(number: errno) }
        defer { close(descriptor) }
        guard !sync(descriptor) else { return }
        // Some file systems report that they cannot sync a directory; SQLite ignores that error too.
        guard [EINVAL, ENOTSUP, EBADF].contains(errno) else { throw Failure(number: errno) }
    }

    /// Syncs an open file.
    ///
    /// On Apple's systems `fsync` writes the bytes to the drive, which may hold them in its cache; `F_FULLFSYNC`
    /// flushes that cache. Volumes that do not support it get `fsync` only.
    ///
    /// - Returns: Whether it succeeded; otherwise `errno` has the reason.
    static func sync(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }

    /// Flushes the cache of a file's drive on Apple's systems; elsewhere `fsync` does so.
    ///
    /// - Important: Do not use it for a file that this process has locked: closing the file would drop the locks.
    static func flushDrive(of path: String) {
        #if canImport(Darwin)
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_FULLFSYNC)
            close(descriptor)
        #endif
    }

    /// Creates a directory and its missing parents, accessible to their owner only.
    ///
    /// Files synced in a new directory are lost with it until its own name is on disk.
    package static func makeDirectory(at path: String) throws(Failure) {
        var missing: [String] = []
        var current = path as NSString
        while current.length > 1, access(current as String, F_OK) != 0, errno == ENOENT {
            missing.append(current as String)
            current = current.deletingLastPathComponent as NSString
        }
        for directory in missing.reversed() {
            // Another process may create it at the same time.
            guard mkdir(directory, S_IRWXU) == 0 || errno == EEXIST else { throw Failure(number: errno) }
        }
        // Some file systems cannot sync a directory; SQLite ignores that, too.
        for directory in missing { try? sync(directory: (directory as NSString).deletingLastPathComponent) }
    }
}
