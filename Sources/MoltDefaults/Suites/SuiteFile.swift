#if !canImport(Darwin)
    internal import Foundation

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// The file that `UserDefaults` keeps a suite's domain in on Linux.
    struct SuiteFile {
        /// Where it is, a link not followed.
        let path: String
        private let suite: Suite
        private let directory: String

        init(_ suite: Suite) {
            self.suite = suite
            directory = Self.home
            path = "\(directory)/\(suite.domainName).plist"
        }

        /// The file's directory: `$XDG_CONFIG_HOME`, when that is an absolute path, or `~/.config`.
        ///
        /// Foundation reads both variables when it is loaded, so they are taken as the process was given them.
        static let home: String = {
            let given = (try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/environ"))) ?? Data()
            func variable(_ name: String) -> String? {
                guard !given.isEmpty else { return ProcessInfo.processInfo.environment[name] }
                let line = given.split(separator: 0).first { $0.starts(with: "\(name)=".utf8) }
                return line.map { String(decoding: $0.dropFirst(name.utf8.count + 1), as: UTF8.self) }
            }
            if let home = variable("XDG_CONFIG_HOME"), home.hasPrefix("/") { return home }
            return "\(variable("HOME") ?? "")/.config"
        }()

        // MARK: Reading

        /// What is in the file; nothing when it is empty or there is none.
        ///
        /// - Throws: ``DefaultsError`` with the code `unreadable`, `noPermission` or `notWritable`.
        func read() throws(DefaultsError) -> [String: PropertyListValue] {
            guard let bytes = try bytes(), !bytes.isEmpty else { return [:] }
            let objects: [String: Any]
            do {
                let object = try PropertyListSerialization.propertyList(from: bytes, format: nil)
                guard let dictionary = object as? [String: Any] else {
                    throw failure(.unreadable, "The file of the suite is not a dictionary. \(Self.advice)")
                }
                objects = dictionary
            } catch let error as DefaultsError {
                throw error
            } catch {
                var failure = failure(.unreadable, "The file of the suite is no property list. \(Self.advice)")
                failure.underlying = error
                throw failure
            }
            do throws(DefaultsError) {
                return try SuiteDomain.normalized(objects, of: suite)
            } catch {
                var error = error
                error.path = path
                throw error
            }
        }

        private static let advice = "It was not changed. Restore it from a backup, or move it away."

        /// The file's bytes; nil when there is none.
        private func bytes() throws(DefaultsError) -> Data? {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                if errno == ENOENT { return nil }
                throw failure(ofCall: errno)
            }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw failure(ofCall: errno) }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw failure(
                    .notWritable,
                    "What is in the place of the suite's file is a directory or a device. Move it away."
                )
            }
            do {
                return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data()
            } catch {
                var failure = failure(.unreadable, "The file of the suite could not be read.")
                failure.underlying = error
                throw failure
            }
        }

        // MARK: Writing

        /// Replaces the file's content, by another file that takes its place at once when it is whole and on disk.
        ///
        /// The file keeps its permissions; a new one may be read and written by its owner only.
        func replace(with values: [String: PropertyListValue]) throws(DefaultsError) {
            let bytes: Data
            do {
                let objects = values.mapValues(\.object)
                bytes = try PropertyListSerialization.data(fromPropertyList: objects, format: .xml, options: 0)
            } catch {
                var failure = failure(.cannotStore, "The suite's values could not be written as a property list.")
                failure.underlying = error
                throw failure
            }
            let target = try target()
            try removeLeftovers(of: target)
            try save(bytes, as: target, by: target.beside("new-\(getpid())"))
        }

        /// Runs a closure that has the library write the file, with a copy beside it that stands in after a kill.
        func withCopy(_ body: () throws(DefaultsError) -> Void) throws(DefaultsError) {
            guard let bytes = try bytes(), !bytes.isEmpty else { return try body() }
            let target = try target()
            let copy = target.beside(Self.copy)
            try save(bytes, as: Target(path: copy, directory: target.directory), by: target.beside("new-\(getpid())"))
            try body()
            unlink(copy)
        }

        /// Puts back what a kill during the library's own writing destroyed; to be called with the lock.
        func recover() throws(DefaultsError) {
            let target = try target()
            let copy = target.beside(Self.copy)
            guard access(copy, F_OK) == 0 else { return }
            // The library removes a file of no values as a whole: that there is none is not the work of a kill.
            if let bytes = try bytes(), bytes.isEmpty || !Self.isPropertyList(bytes) {
                guard rename(copy, target.path) == 0 else { throw failure(ofCall: errno) }
                try sync(directory: target.directory)
            } else {
                unlink(copy)
            }
        }

        /// Moves a file that is no property list aside, so that it is not lost when another takes its place.
        func setAsideDamage() throws(DefaultsError) {
            guard let bytes = try bytes(), !bytes.isEmpty, !Self.isPropertyList(bytes) else { return }
            let target = try target()
            var aside = target.path + ".damaged"
            var number = 1
            while access(aside, F_OK) == 0 {
                number += 1
                aside = "\(target.path).damaged-\(number)"
            }
            guard rename(target.path, aside) == 0 else { throw failure(ofCall: errno) }
        }

        /// Checks the file and its directory, or the nearest one above it that there is.
        func checkWritable() throws(DefaultsError) {
            _ = try read()
            let target = try target()
            if access(target.path, W_OK) != 0, errno != ENOENT { throw failure(ofCall: errno) }
            var directory = target.directory
            while access(directory, F_OK) != 0 {
                guard errno == ENOENT, directory.count > 1 else { throw failure(ofCall: errno) }
                directory = (directory as NSString).deletingLastPathComponent
                if directory.isEmpty { directory = "." }
            }
            guard access(directory, W_OK | X_OK) == 0 else { throw failure(ofCall: errno) }
            var status = stat()
            guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw failure(ofCall: ENOTDIR)
            }
        }

        /// Runs a closure while no other process, or thread, reads or writes a suite through Molt.
        ///
        /// The lock is on the directory, so that it leaves no file; a kill frees it. Where there is no directory yet,
        /// or a file system without locks, the closure runs without it.
        func locked<Found>(_ body: () throws(DefaultsError) -> Found) throws(DefaultsError) -> Found {
            let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { return try body() }
            defer { close(descriptor) }
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            try recover()
            return try body()
        }

        /// Makes the directory, and those above it, for their owner only.
        func makeDirectory() throws(DefaultsError) {
            guard access(directory, F_OK) != 0 else { return }
            do {
                try FileManager.default.createDirectory(
                    atPath: directory,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            } catch {
                var failure = failure(.notWritable, "The directory of the suite's file cannot be made.")
                failure.underlying = error
                throw failure
            }
        }

        // MARK: Files

        /// The file that is written: the one that a link leads to.
        private struct Target {
            var path: String
            var directory: String

            /// A file of ours in the same directory, by whose name one can see what it is.
            func beside(_ suffix: String) -> String {
                "\(directory)/.\((path as NSString).lastPathComponent)\(SuiteFile.mark)\(suffix)"
            }
        }

        private static let mark = ".molt-"
        private static let copy = "copy"

        private func target() throws(DefaultsError) -> Target {
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
                return Target(path: path, directory: directory)
            }
            guard let found = realpath(path, nil) else {
                throw failure(.notWritable, "The suite's file is a symbolic link that leads nowhere. Remove it.")
            }
            defer { free(found) }
            let resolved = String(cString: found)
            return Target(path: resolved, directory: (resolved as NSString).deletingLastPathComponent)
        }

        /// Removes what killed writes have left: nobody else writes while this process has the lock.
        private func removeLeftovers(of target: Target) throws(DefaultsError) {
            let prefix = (target.beside("new-") as NSString).lastPathComponent
            let names = (try? FileManager.default.contentsOfDirectory(atPath: target.directory)) ?? []
            for name in names where name.hasPrefix(prefix) {
                unlink("\(target.directory)/\(name)")
            }
        }

        private func save(_ bytes: Data, as target: Target, by temporary: String) throws(DefaultsError) {
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR)
            guard descriptor >= 0 else { throw failure(ofCall: errno) }
            var number: Int32 = 0
            if !keepOwner(of: path, on: descriptor) || !append(bytes, to: descriptor) || fsync(descriptor) != 0 {
                number = errno
            }
            close(descriptor)
            if number == 0, rename(temporary, target.path) != 0 { number = errno }
            guard number == 0 else {
                unlink(temporary)
                throw failure(ofCall: number)
            }
            try sync(directory: target.directory)
        }

        private func append(_ bytes: Data, to descriptor: Int32) -> Bool {
            bytes.withUnsafeBytes { bytes in
                var written = 0
                while written < bytes.count {
                    let count = write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                    if count < 0, errno != EINTR { return false }
                    written += max(count, 0)
                }
                return true
            }
        }

        /// Gives a file the permissions of another one, and its owner where this process may.
        private func keepOwner(of path: String, on descriptor: Int32) -> Bool {
            var status = stat()
            guard stat(path, &status) == 0 else { return true }
            if status.st_uid != geteuid() || status.st_gid != getegid() {
                _ = fchown(descriptor, status.st_uid, status.st_gid)
            }
            return fchmod(descriptor, status.st_mode & 0o777) == 0
        }

        private func sync(directory: String) throws(DefaultsError) {
            let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw failure(ofCall: errno) }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw failure(ofCall: errno) }
        }

        private static func isPropertyList(_ bytes: Data) -> Bool {
            (try? PropertyListSerialization.propertyList(from: bytes, format: nil)) is [String: Any]
        }

        // MARK: Errors

        /// An error about the file.
        func failure(_ code: DefaultsError.Code, _ message: String) -> DefaultsError {
            var error = DefaultsError(code, message).of(suite: suite)
            error.path = path
            return error
        }

        private func failure(ofCall number: Int32) -> DefaultsError {
            let reason = String(cString: strerror(number))
            return switch number {
            case EACCES, EPERM:
                failure(.noPermission, "The suite's file may not be used: \(reason). Check its permissions.")
            case EROFS:
                failure(.notWritable, "The suite's file is on a volume that can only be read. Choose another home.")
            case ENOSPC, EDQUOT:
                failure(.notWritable, "There is no room left for the suite's file. It was not changed.")
            default:
                failure(.notWritable, "The suite's file could not be used: \(reason). It was not changed.")
            }
        }
    }
#endif
