#if !canImport(Darwin)
    internal import MoltPlatform
    internal import Foundation
    internal import MoltCore
    internal import Synchronization

    /// The file that holds a suite's domain for `UserDefaults` on Linux.
    struct SuiteFile {
        /// The file's path; a symbolic link is not resolved.
        let path: String
        let directory: String
        private let suite: Suite

        init(_ suite: Suite) {
            self.suite = suite
            directory = Self.home
            path = "\(directory)/\(suite.domainName).plist"
        }

        /// The file's directory: `$XDG_CONFIG_HOME` if that is an absolute path, else `~/.config`.
        ///
        /// Foundation reads both variables when it is loaded, so this uses the process's initial environment.
        static let home: String = {
            // Without `/proc`, the current environment is used.
            let given = (try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/environ"))) ?? Data()
            func variable(_ name: String) -> String? {
                guard !given.isEmpty else { return ProcessInfo.processInfo.environment[name] }
                let line = given.split(separator: 0).first { $0.starts(with: "\(name)=".utf8) }
                return line.map { String(decoding: $0.dropFirst(name.utf8.count + 1), as: UTF8.self) }
            }
            if let home = variable("XDG_CONFIG_HOME"), home.hasPrefix("/") { return home }
            return "\(variable("HOME") ?? "")/.config"
        }()

        var hasDirectory: Bool { access(directory, F_OK) == 0 }

        // MARK: Reading

        /// The values in the file; none if it is empty or does not exist.
        ///
        /// - Throws: ``DefaultsError`` with the code `unreadable`, `noPermission` or `notWritable`.
        func read() throws -> [String: PropertyListValue] {
            guard let (bytes, stamp) = try contents(at: path), !bytes.isEmpty else { return [:] }
            let values = try values(of: bytes)
            Known.files.withLock { files in
                // Another thread may have read a newer file meanwhile.
                if files[path]?.bytes == bytes { files[path]?.stamp = stamp }
            }
            return values
        }

        func bytes() throws -> Data? {
            try bytes(at: path)
        }

        /// The bytes of the file, or of one of Molt's files beside it.
        func bytes(at path: String) throws -> Data? {
            try contents(at: path)?.bytes
        }

        private func contents(at path: String) throws -> (bytes: Data, stamp: Stamp)? {
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
                    "A directory or a device is in the place of the suite's file. Move it away."
                )
            }
            do {
                let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
                return (try file.readToEnd() ?? Data(), Stamp(status))
            } catch {
                var failure = failure(.unreadable, "The file of the suite could not be read.")
                failure.underlying = error
                throw failure
            }
        }

        func values(of bytes: Data) throws -> [String: PropertyListValue] {
            if let known = Known.files.withLock({ $0[path] }), known.bytes == bytes { return known.values }
            do {
                guard let values = try PropertyListReader.value(bytes, around: 1).dictionary else {
                    throw CocoaError(.propertyListReadCorrupt)
                }
                remember(bytes, values)
                return values
            } catch {
                throw unreadable(error)
            }
        }

        /// The error for bytes that are damaged or, if it has a key, for a value that no suite can hold.
        private func unreadable(_ cause: any Error) -> DefaultsError {
            if var error = cause as? DefaultsError, let steps = error.place?.steps, case .key(let key) = steps.first {
                error.code = .unreadable
                error.path = path
                error.place = steps.count > 1 ? ValuePlace(Array(steps.dropFirst())) : nil
                return error.at(key: key).of(suite: suite)
            }
            var failure = failure(
                .unreadable,
                "The file of the suite is damaged: it is not a property list of keys and values. Restore it from a "
                    + "backup, or move it away."
            )
            failure.underlying = cause
            return failure
        }

        // MARK: Cache

        /// A file's content when it was last read, cached so that reading one setting does not parse the whole file.
        private struct Known {
            var bytes: Data
            var values: [String: PropertyListValue]
            var stamp: Stamp?

            static let files = Mutex<[String: Known]>([:])
            static let limit = 8
        }

        /// The status values that change when a file is replaced or written.
        private struct Stamp: Equatable {
            let numbers: [Int]

            init(_ status: stat) {
                numbers = [
                    Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                    status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
                ]
            }
        }

        func remember(_ bytes: Data, _ values: [String: PropertyListValue]) {
            Known.files.withLock { files in
                if files[path] == nil, files.count == Known.limit { files = [:] }
                files[path] = Known(bytes: bytes, values: values)
            }
        }

        /// The cached values, if the file's status shows no write since.
        func unchangedValues() -> [String: PropertyListValue]? {
            var status = stat()
            guard let known = Known.files.withLock({ $0[path] }), let stamp = known.stamp, stat(path, &status) == 0,
                Stamp(status) == stamp
            else { return nil }
            return known.values
        }

        // MARK: The lock

        /// The time that a call outside an upgrade waits for the lock.
        static let lockTimeout = Duration.seconds(5)

        /// Runs a closure while no other process or thread changes the suite through Molt.
        ///
        /// It first recovers from a kill. The lock is a file beside the suite's own, accessible only to its owner. The
        /// lock file exists only while the lock is held, and a kill releases the lock. The lock is not recursive.
        ///
        /// - Throws: ``DefaultsError`` with the code `busy` if another holder keeps the lock too long. During an
        ///   upgrade, `MigrationError` with the code `busy`, `cancelled` or `deadlinePassed`.
        func locked<Found>(_ body: () throws -> Found) throws -> Found {
            let limit = LockLimit.current
            let timeout = limit?.timeout ?? Self.lockTimeout
            let start = ContinuousClock.now
            let lock = try lock {
                try limit?.check()
                if ContinuousClock.now - start >= timeout { throw busy(after: timeout, limit) }
            }
            try recover()
            let found = try body()
            _ = consume lock
            return found
        }

        /// Runs a closure as ``locked(_:)`` does, unless another holder has the lock or it cannot be taken.
        ///
        /// - Returns: nil if the closure was not called.
        func lockedIfFree<Found>(_ body: () throws -> Found) throws -> Found? {
            guard let lock = lockIfFree() else { return nil }
            try recover()
            let found = try body()
            _ = consume lock
            return found
        }

        private func busy(after timeout: Duration, _ limit: LockLimit?) -> any Error {
            let message =
                "Another process or thread has been changing the settings in \(suite) for more than \(timeout). It may have "
                + "been stopped in that: try again, or end it."
            guard let limit, !limit.isCommitted else { return failure(.busy, message) }
            var error = MigrationError(.busy, message)
            error.attachedStore = suite.attachedName
            return error
        }

        /// The lock; nil if another holder has it, or it cannot be taken.
        func lockIfFree() -> FileLock? {
            struct Busy: Error {}
            return try? lock(waiting: { throw Busy() })
        }

        /// - Parameter waiting: Called repeatedly while another holder has the lock; throws to give up.
        private func lock(waiting: () throws -> Void) throws -> FileLock {
            let path = try target().beside("lock")
            do {
                return try FileLock.removedAfterUse(path, waiting: waiting)
            } catch let error as DurableFile.Failure {
                throw failure(ofCall: error.number)
            }
        }

        // MARK: Paths

        /// The file to write: the target of a symbolic link.
        struct Target {
            var path: String
            var directory: String

            /// The path of one of Molt's files in the same directory; its name shows its purpose.
            func beside(_ suffix: String) -> String {
                "\(directory)/.\((path as NSString).lastPathComponent).molt-\(suffix)"
            }
        }

        func target() throws -> Target {
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

        // MARK: Failures

        func failure(_ code: DefaultsError.Code, _ message: String) -> DefaultsError {
            var error = DefaultsError(code, message).of(suite: suite)
            error.path = path
            return error
        }

        func failure(ofCall number: Int32) -> DefaultsError {
            let reason = String(cString: strerror(number))
            return switch number {
            case EACCES, EPERM:
                failure(.noPermission, "The suite's file is not accessible: \(reason). Check its permissions.")
            case EROFS:
                failure(.notWritable, "The suite's file is on a read-only volume. Choose another home directory.")
            case ENOSPC, EDQUOT, EFBIG:
                failure(.notWritable, "There is no space left for the suite's file.")
            default:
                failure(.notWritable, "The suite's file could not be used: \(reason).")
            }
        }
    }
#endif
