package import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Writes and removes files so that a kill, or a loss of power, leaves the old one or the new one, whole and on disk.
package enum DurableFile {
    /// Why a call to the system failed, as its number.
    package struct Failure: Error {
        package var number: Int32

        package init(number: Int32) {
            self.number = number
        }

        /// Whether something was there already.
        package var isExisting: Bool { number == EEXIST }

        /// Whether the disk, or what this process may write, is at its end.
        package var isOutOfSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

        /// The reason in words of the system.
        package var reason: String { String(cString: strerror(number)) }
    }

    /// Puts a file in the place of another one, or of none.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - bytes: The content of the file.
    ///   - temporary: A file in the same directory, which holds the bytes until they are all on disk.
    ///   - prepare: Gets the new file's descriptor, to set its permissions; by default only its owner may use it.
    package static func replace(
        _ path: String,
        with bytes: Data,
        by temporary: String,
        prepare: (Int32) -> Bool = { _ in true }
    ) throws(Failure) {
        try makeNew(temporary, with: bytes, prepare: prepare)
        guard rename(temporary, path) == 0 else {
            let number = errno
            unlink(temporary)
            throw Failure(number: number)
        }
        try sync(directory: (path as NSString).deletingLastPathComponent)
    }

    /// Writes a new file, whose name is not on disk yet; what has the name is removed first.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - bytes: The content of the file.
    ///   - isSynced: Whether its content is to be on disk.
    ///   - prepare: Gets the new file's descriptor, to set its permissions; by default only its owner may use it.
    package static func makeNew(
        _ path: String,
        with bytes: Data,
        isSynced: Bool = true,
        prepare: (Int32) -> Bool = { _ in true }
    ) throws(Failure) {
        // A new file only: a link in its place would have another file emptied, and a pipe would be waited for without an
        // end.
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw Failure(number: errno) }
        defer { close(descriptor) }
        do throws(Failure) {
            guard prepare(descriptor) else { throw Failure(number: errno) }
            try append(bytes, to: descriptor)
            guard !isSynced || DiskSync.file(descriptor) else { throw Failure(number: errno) }
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Makes a file that is there when it is whole and on disk, and not before; no file is replaced.
    ///
    /// - Parameters:
    ///   - path: The file; a failure with the number `EEXIST` when something is there.
    ///   - bytes: The content of the file.
    ///   - temporary: A file in the same directory, which holds the bytes until they are all on disk; what a kill has left
    ///     there goes, and of one that is being made the failure is `EEXIST`, too.
    package static func create(_ path: String, with bytes: Data, by temporary: String) throws(Failure) {
        PartFile.removeLeftover(temporary)
        let part = try PartFile(temporary)
        try part.write(bytes)
        try part.publish(as: path)
    }

    /// Gives a file that is on disk the name by which it counts, unless something has that name.
    ///
    /// A kill may leave both names, of one file, where it cannot be renamed in one step.
    package static func publish(_ temporary: String, as path: String) throws(Failure) {
        let isRenamed = renameUnlessExisting(temporary, path)
        guard !isRenamed, link(temporary, path) != 0 else {
            // The file counts now, whether or not its other name goes.
            if !isRenamed { unlink(temporary) }
            do throws(Failure) {
                return try sync(directory: (path as NSString).deletingLastPathComponent)
            } catch {
                // The name is ours, and whoever is told that it failed will try again.
                unlink(path)
                throw error
            }
        }
        guard errno != EEXIST else { throw Failure(number: EEXIST) }
        // Not every file system has two names for one file.
        var status = stat()
        guard lstat(path, &status) != 0 else { throw Failure(number: EEXIST) }
        try move(temporary, to: path)
    }

    /// Gives a file another name that nothing has, in one step; false where the system, or the volume, cannot.
    ///
    /// SQLite as Apple builds it takes a file for one that was moved as soon as it has two names.
    private static func renameUnlessExisting(_ path: String, _ newPath: String) -> Bool {
        #if canImport(Darwin)
            return renamex_np(path, newPath, UInt32(RENAME_EXCL)) == 0
        #else
            return false
        #endif
    }

    /// The bytes of a file; nil when there is none.
    ///
    /// A link is not followed, and nothing but a file is read.
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

    /// Whether a descriptor is that of a file, and not of a directory or a device.
    package static func isFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Gives a file another name in the same directory.
    package static func move(_ path: String, to newPath: String) throws(Failure) {
        guard rename(path, newPath) == 0 else { throw Failure(number: errno) }
        try sync(directory: (newPath as NSString).deletingLastPathComponent)
    }

    /// Removes a file, if there is one.
    package static func remove(_ path: String) throws(Failure) {
        guard unlink(path) == 0 else {
            if errno == ENOENT { return }
            throw Failure(number: errno)
        }
        try sync(directory: (path as NSString).deletingLastPathComponent)
    }

    /// Sees to it that what someone else has written into a file is on disk; nothing when there is none.
    package static func sync(_ path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor >= 0 {
            defer { close(descriptor) }
            guard DiskSync.file(descriptor) else { throw Failure(number: errno) }
        } else if errno != ENOENT {
            throw Failure(number: errno)
        }
    }

    /// Sees to it that the names in a directory are on disk.
    package static func sync(directory: String) throws(Failure) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(number: errno) }
        defer { close(descriptor) }
        guard !DiskSync.file(descriptor) else { return }
        // Some file systems cannot sync a directory, and say so; SQLite takes no notice of that either.
        guard [EINVAL, ENOTSUP, EBADF].contains(errno) else { throw Failure(number: errno) }
    }

    /// Writes bytes to where a descriptor stands.
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
