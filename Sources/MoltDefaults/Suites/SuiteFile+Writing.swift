#if !canImport(Darwin)
    internal import Foundation
    internal import MoltCore

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    extension SuiteFile {
        /// Makes the directory, and those above it, for their owner only.
        func makeDirectory() throws(DefaultsError) {
            guard access(directory, F_OK) != 0 else { return }
            do {
                try DurableDirectory.make(at: directory)
            } catch {
                var failure = failure(.notWritable, "The directory of the suite's file cannot be made.")
                failure.underlying = error
                throw failure
            }
        }

        /// Whether there is a directory to write to.
        var hasDirectory: Bool { access(directory, F_OK) == 0 }

        /// Replaces the file's content, by another file that takes its place at once when it is whole and on disk.
        ///
        /// The file keeps its permissions; a new one may be read and written by its owner only.
        func replace(with values: [String: PropertyListValue]) throws(DefaultsError) {
            let (bytes, target) = try prepareReplacing(with: values)
            try save(bytes, as: target.path, by: target.beside("new-\(getpid())"))
        }

        /// Replaces the file's content, and runs a closure that may have the library write the file, with a copy of the new
        /// content beside it that stands in after a kill.
        ///
        /// Both are on disk before the closure is run, for one sync more than the file alone takes.
        func replace(
            with values: [String: PropertyListValue],
            _ body: () throws(DefaultsError) -> Void
        ) throws(DefaultsError) {
            let (bytes, target) = try prepareReplacing(with: values)
            let copy = target.beside(Self.copy)
            try explained { () throws(DurableFile.Failure) in
                try DurableFile.replace(
                    [(copy, target.beside("new-copy-\(getpid())")), (target.path, target.beside("new-\(getpid())"))],
                    with: bytes,
                    prepare: keepOwner
                )
            }
            try body()
            try dropCopy(of: target, unlessChanged: bytes)
        }

        private func prepareReplacing(
            with values: [String: PropertyListValue]
        ) throws(DefaultsError) -> (bytes: Data, target: Target) {
            let bytes: Data
            do {
                bytes =
                    try XMLPropertyListWriter.data(values)
                    ?? PropertyListSerialization.data(
                        fromPropertyList: values.mapValues(\.object),
                        format: .xml,
                        options: 0
                    )
            } catch {
                var failure = failure(.cannotStore, "The suite's values could not be written as a property list.")
                failure.underlying = error
                throw failure
            }
            Self.forgetLast()
            let target = try target()
            removeLeftovers(of: target)
            return (bytes, target)
        }

        /// Removes the copy, when the file is on disk: that is known of one with the bytes that were synced.
        private func dropCopy(of target: Target, unlessChanged synced: Data? = nil) throws(DefaultsError) {
            let isSynced = try synced.map { bytes throws(DefaultsError) in try self.bytes() == bytes } ?? false
            if !isSynced {
                // Nothing says that the library syncs what it writes, though that of Swift 6.3 does: without the copy, a
                // loss of power could leave an empty file.
                try explained { () throws(DurableFile.Failure) in try DurableFile.sync(target.path) }
            }
            unlink(target.beside(Self.copy))
        }

        /// Runs a closure that has the library write the file, with a copy beside it that stands in after a kill.
        func withCopy(_ body: () throws(DefaultsError) -> Void) throws(DefaultsError) {
            guard let bytes = try bytes(), !bytes.isEmpty else { return try body() }
            let target = try target()
            let copy = target.beside(Self.copy)
            try save(bytes, as: copy, by: target.beside("new-\(getpid())"))
            try body()
            try dropCopy(of: target)
        }

        /// Puts back what a kill during the library's own writing destroyed; to be called with the lock.
        func recover() throws(DefaultsError) {
            let target = try target()
            let copy = target.beside(Self.copy)
            var status = stat()
            // A link of that name is not ours, and would lead the suite's writes elsewhere.
            guard lstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
            // The library removes a file of no values as a whole: that there is none is not the work of a kill.
            // A file that is no property list is what a kill leaves; the copy was one.
            if let bytes = try bytes(), bytes.isEmpty || (try? Self.dictionary(bytes)) == nil {
                try explained { () throws(DurableFile.Failure) in try DurableFile.move(copy, to: target.path) }
            } else {
                // The one who was killed may not have come to it.
                try dropCopy(of: target)
            }
        }

        /// Moves a file that is no property list aside, so that it is not lost when another takes its place.
        func setAsideDamage() throws(DefaultsError) {
            // Whether it throws is the answer.
            guard let bytes = try bytes(), !bytes.isEmpty, (try? Self.dictionary(bytes)) == nil else { return }
            let target = try target()
            var aside = target.path + ".damaged"
            var number = 1
            while access(aside, F_OK) == 0 {
                number += 1
                aside = "\(target.path).damaged-\(number)"
            }
            try explained { () throws(DurableFile.Failure) in try DurableFile.move(target.path, to: aside) }
        }

        /// The file that is written: the one that a link leads to.
        struct Target {
            var path: String
            var directory: String

            /// A file of ours in the same directory, by whose name one can see what it is.
            func beside(_ suffix: String) -> String {
                "\(directory)/.\((path as NSString).lastPathComponent)\(SuiteFile.mark)\(suffix)"
            }
        }

        private static let mark = ".molt-"
        private static let copy = "copy"

        /// Follows a link.
        func target() throws(DefaultsError) -> Target {
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
        private func removeLeftovers(of target: Target) {
            let prefix = (target.beside("new-") as NSString).lastPathComponent
            // What cannot be listed is left to the next write: it takes room, and nothing else.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: target.directory)) ?? []
            for name in names where name.hasPrefix(prefix) {
                unlink("\(target.directory)/\(name)")
            }
        }

        private func save(_ bytes: Data, as path: String, by temporary: String) throws(DefaultsError) {
            try explained { () throws(DurableFile.Failure) in
                try DurableFile.replace(path, with: bytes, by: temporary, prepare: keepOwner)
            }
        }

        /// Says what a failure means for the suite.
        private func explained(_ body: () throws(DurableFile.Failure) -> Void) throws(DefaultsError) {
            do throws(DurableFile.Failure) {
                try body()
            } catch {
                throw failure(ofCall: error.number)
            }
        }

        /// Gives a new file the permissions of the suite's, and its owner where this process may.
        private func keepOwner(on descriptor: Int32) -> Bool {
            var status = stat()
            guard stat(path, &status) == 0 else { return true }
            if status.st_uid != geteuid() || status.st_gid != getegid() {
                _ = fchown(descriptor, status.st_uid, status.st_gid)
            }
            return fchmod(descriptor, status.st_mode & 0o777) == 0
        }
    }
#endif
