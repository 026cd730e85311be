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
        ///
        /// - Parameters:
        ///   - values: The new content.
        ///   - body: May have the library write the file: the new content is on disk already, as a copy that stands in when a
        ///     kill cuts off the file. It says whether the file is still to be replaced.
        /// - Returns: Whether the file was replaced.
        func replace(
            with values: [String: PropertyListValue],
            _ body: () throws(DefaultsError) -> Bool
        ) throws(DefaultsError) -> Bool {
            let bytes = try Self.bytes(of: values, in: self)
            let target = try target()
            removeLeftovers(of: target)
            let copy = target.beside(Self.copy)
            try save(bytes, as: copy, by: target.beside("new-\(getpid())"))
            guard try body() else {
                try dropCopy(of: target)
                return false
            }
            Self.forgetLast()
            try explained { () throws(DurableFile.Failure) in try DurableFile.move(copy, to: target.path) }
            return true
        }

        private static func bytes(
            of values: [String: PropertyListValue],
            in file: SuiteFile
        ) throws(DefaultsError) -> Data {
            do {
                return try XMLPropertyListWriter.data(values)
                    ?? PropertyListSerialization.data(
                        fromPropertyList: values.mapValues(\.object),
                        format: .xml,
                        options: 0
                    )
            } catch {
                var failure = file.failure(.cannotStore, "The suite's values could not be written as a property list.")
                failure.underlying = error
                throw failure
            }
        }

        /// Removes the copy, when the file is on disk.
        private func dropCopy(of target: Target) throws(DefaultsError) {
            // Nothing says that the library syncs what it writes, though that of Swift 6.3 does: without the copy, a loss of
            // power could leave an empty file.
            try explained { () throws(DurableFile.Failure) in try DurableFile.sync(target.path) }
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
            if let bytes = try bytes(), Self.isTorn(bytes) {
                try explained { () throws(DurableFile.Failure) in try DurableFile.move(copy, to: target.path) }
            } else {
                // The one who was killed may not have come to it.
                try dropCopy(of: target)
            }
        }

        /// Whether bytes are what a kill, or a loss of power, has left of the library's writing.
        ///
        /// That cuts the file to nothing first. What was not on disk then is zeros, which are taken for characters of a text
        /// where all around them is. A text may have a NUL in it, and then the copy, which is whole, stands in all the same.
        private static func isTorn(_ bytes: Data) -> Bool {
            if bytes.isEmpty || (try? dictionary(bytes)) == nil { return true }
            return !bytes.starts(with: "bplist".utf8) && bytes.contains(0)
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
