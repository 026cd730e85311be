#if !canImport(Darwin)
    internal import Foundation
    internal import Synchronization

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// The file that `UserDefaults` keeps a suite's domain in on Linux.
    struct SuiteFile {
        /// Where it is, a link not followed.
        let path: String
        /// Where it is, without the name.
        let directory: String
        private let suite: Suite
        /// What errors say of the content.
        private let outcome: String

        /// - Parameter isReplaced: Whether a call has given the file its new content, and errors are to say so.
        init(_ suite: Suite, isReplaced: Bool = false) {
            self.suite = suite
            outcome = isReplaced ? "Its changes were made." : "It was not changed."
            directory = Self.home
            path = "\(directory)/\(suite.domainName).plist"
        }

        /// The file's directory: `$XDG_CONFIG_HOME`, when that is an absolute path, or `~/.config`.
        ///
        /// Foundation reads both variables when it is loaded, so they are taken as the process was given them.
        static let home: String = {
            // Where there is no such file, what the process has now is taken.
            let given = (try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/environ"))) ?? Data()
            func variable(_ name: String) -> String? {
                guard !given.isEmpty else { return ProcessInfo.processInfo.environment[name] }
                let line = given.split(separator: 0).first { $0.starts(with: "\(name)=".utf8) }
                return line.map { String(decoding: $0.dropFirst(name.utf8.count + 1), as: UTF8.self) }
            }
            if let home = variable("XDG_CONFIG_HOME"), home.hasPrefix("/") { return home }
            return "\(variable("HOME") ?? "")/.config"
        }()

        /// What is in the file; nothing when it is empty or there is none.
        ///
        /// - Parameter isKept: Whether it is kept for the next reading, in the place of another file's.
        /// - Throws: ``DefaultsError`` with the code `unreadable`, `noPermission` or `notWritable`.
        func read(isKept: Bool = true) throws(DefaultsError) -> [String: PropertyListValue] {
            guard let bytes = try bytes(), !bytes.isEmpty else { return [:] }
            return try values(of: bytes, isKept: isKept)
        }

        /// What was read lately from just these bytes.
        private func knownValues(of bytes: Data) -> [String: PropertyListValue]? {
            Self.last.withLock { $0?.path == path && $0?.bytes == bytes ? $0?.values : nil }
        }

        /// What is in the file, once one who writes it has come to its end; nil when it stays cut off.
        ///
        /// The library writes a file in place, in any thread of the app and in other processes, which hold no lock of ours.
        ///
        /// - Parameter known: What was in it last.
        func settled(known: [String: PropertyListValue]) throws(DefaultsError) -> [String: PropertyListValue]? {
            for attempt in 0..<Self.longestWait {
                if attempt > 0 { usleep(2_000) }
                guard let bytes = try bytes() else { return [:] }
                if bytes.isEmpty, known.isEmpty { return [:] }
                if let values = knownValues(of: bytes) { return values }
                if !Self.isTorn(bytes, beside: nil) { return try values(of: bytes, isKept: true) }
            }
            return nil
        }

        /// How often a file that is cut off is looked at.
        private static let longestWait = 100

        /// What a file's bytes hold.
        private func values(of bytes: Data, isKept: Bool) throws(DefaultsError) -> [String: PropertyListValue] {
            if let known = knownValues(of: bytes) { return known }
            if let values = XMLPropertyListReader.values(bytes) {
                if isKept { Self.last.withLock { $0 = (path, bytes, values) } }
                return values
            }
            let objects: [String: Any]
            do {
                objects = try Self.dictionary(bytes)
            } catch {
                var failure = failure(
                    .unreadable,
                    "The file of the suite is damaged: it is no property list of keys and values. \(outcome) "
                        + "Restore it from a backup, or move it away."
                )
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

        /// What was last read, by its bytes: an upgrade reads the same file several times before it writes it, and
        /// comparing bytes costs nothing beside taking them apart.
        private static let last = Mutex<(path: String, bytes: Data, values: [String: PropertyListValue])?>(nil)

        /// Lets go of what was last read, as when it is written over.
        static func forgetLast() {
            last.withLock { $0 = nil }
        }

        /// What the bytes of a file hold.
        static func dictionary(_ bytes: Data) throws -> [String: Any] {
            let object = try PropertyListReader.object(bytes)
            guard let dictionary = object as? [String: Any] else {
                throw CocoaError(.propertyListReadCorrupt)
            }
            return dictionary
        }

        /// The file's bytes; nil when there is none.
        func bytes() throws(DefaultsError) -> Data? {
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

        /// Runs a closure while no other process, or thread, reads or writes a suite through Molt.
        ///
        /// The lock is on the directory, so that it leaves no file; a kill frees it. Where there is no directory yet,
        /// or the file system has no such locks (NFS has none of directories), only threads of this process wait: two
        /// processes that change a suite at the same time may then take each other's copy, and one of them gets an error,
        /// or has its change overwritten. It must not be asked for again from inside.
        func locked<Found>(_ body: () throws(DefaultsError) -> Found) throws(DefaultsError) -> Found {
            Self.threads.lock()
            defer { Self.threads.unlock() }
            let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { return try body() }
            defer { close(descriptor) }
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            try recover()
            return try body()
        }

        /// What threads of this process wait for; all suites' files are in one directory.
        private static let threads = NSLock()

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

        /// An error about the file.
        func failure(_ code: DefaultsError.Code, _ message: String) -> DefaultsError {
            var error = DefaultsError(code, message).of(suite: suite)
            error.path = path
            return error
        }

        /// The error for a call of the system that failed.
        func failure(ofCall number: Int32) -> DefaultsError {
            let reason = String(cString: strerror(number))
            return switch number {
            case EACCES, EPERM:
                failure(.noPermission, "The suite's file may not be used: \(reason). Check its permissions.")
            case EROFS:
                failure(.notWritable, "The suite's file is on a volume that can only be read. Choose another home.")
            case ENOSPC, EDQUOT, EFBIG:
                failure(.notWritable, "There is no room left for the suite's file. \(outcome)")
            default:
                failure(.notWritable, "The suite's file could not be used: \(reason). \(outcome)")
            }
        }
    }
#endif
