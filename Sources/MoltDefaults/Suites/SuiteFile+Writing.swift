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
        ///   - known: What the file has.
        ///   - body: May have the library write the file: the new content is on disk already, as a copy that stands in when a
        ///     kill cuts off the file. It says whether the file is still to be replaced. When it throws, the file has the old
        ///     content.
        /// - Returns: Whether the file was replaced.
        func replace(
            with values: [String: PropertyListValue],
            known: [String: PropertyListValue],
            _ body: () throws(DefaultsError) -> Bool
        ) throws(DefaultsError) -> Bool {
            let bytes = try Self.bytes(of: values, in: self)
            let target = try target()
            removeLeftovers(of: target)
            let old = try self.bytes()
            // A file that was not touched must not be taken for one that has lost everything.
            let isAlike = known.contains { values[$0.key] == $0.value }
            let copy = target.beside(isAlike ? Self.copy : Self.successor)
            try saveCopy(bytes, as: copy, of: target)
            let isStillNeeded: Bool
            do throws(DefaultsError) {
                isStillNeeded = try body()
            } catch {
                var error = error
                error.isAfterReplacing = !undo(to: old, copy, of: target)
                throw error
            }
            guard isStillNeeded else {
                try drop(copy, of: target)
                return false
            }
            Self.forgetLast()
            guard rename(copy, target.path) == 0 else {
                let number = errno
                _ = undo(to: old, copy, of: target)
                if number == ENOENT {
                    let message = "Another process was changing the suite at the same time. Try again."
                    throw failure(.notWritable, message)
                }
                throw failure(ofCall: number)
            }
            do throws(DurableFile.Failure) {
                try DurableFile.sync(directory: target.directory)
            } catch {
                var failure = failure(
                    .notWritable,
                    "The suite's file was replaced, but the disk did not confirm it: \(error.reason). A loss of power may "
                        + "take the changes back."
                )
                failure.isAfterReplacing = true
                throw failure
            }
            return true
        }

        /// Sees to it that the file has its old content after the library could not write it, and that nothing of the new
        /// one is left that a later recovery would take for what was promised.
        ///
        /// - Returns: False when the new content had to stay, and takes the file's place with its next use.
        private func undo(to old: Data?, _ copy: String, of target: Target) -> Bool {
            // What cannot be read is not known to be torn, and is left alone.
            guard let now = try? bytes(), Self.isTorn(now, beside: old) else {
                unlink(copy)
                return true
            }
            guard let old, !old.isEmpty else {
                // There was nothing in it.
                unlink(target.path)
                unlink(copy)
                return true
            }
            // The disk may be full: what is torn makes room for what is whole. When even that does not help, the new
            // content stays, since without it there would be none.
            truncate(target.path, 0)
            let temporary = target.beside("new-\(getpid())")
            guard
                (try? save(old, as: copy, by: temporary)) != nil || (try? Data(contentsOf: URL(filePath: copy))) == old
            else { return false }
            Self.forgetLast()
            // Where that fails, the copy has the old content by now, and takes the file's place with its next use.
            try? explained { () throws(DurableFile.Failure) in try DurableFile.move(copy, to: target.path) }
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

        /// Removes a copy, when the file is on disk; it does not come back after that.
        private func drop(_ copy: String, of target: Target) throws(DefaultsError) {
            try explained { () throws(DurableFile.Failure) in
                // Nothing says that the library syncs what it writes, though that of Swift 6.3 does: without the copy, a
                // loss of power could leave an empty file.
                try DurableFile.sync(target.path)
                unlink(copy)
                // The file's own name was there before, or is new and goes to the disk with this.
                try DurableFile.sync(directory: target.directory)
            }
        }

        /// Runs a closure that has the library write the file, with a copy beside it that stands in after a kill.
        func withCopy(_ body: () throws(DefaultsError) -> Void) throws(DefaultsError) {
            guard let bytes = try bytes(), !bytes.isEmpty else { return try body() }
            let target = try target()
            let copy = target.beside(Self.copy)
            try saveCopy(bytes, as: copy, of: target)
            do throws(DefaultsError) {
                try body()
            } catch {
                // When it cannot be put back now, the copy stays, and it is with the next use.
                try? recover()
                throw error
            }
            try drop(copy, of: target)
        }

        /// Puts back what a kill during the library's own writing destroyed; to be called with the lock.
        func recover() throws(DefaultsError) {
            let target = try target()
            try recover(target, by: target.beside(Self.copy), isAlike: true)
            try recover(target, by: target.beside(Self.successor), isAlike: false)
        }

        /// - Parameter isAlike: Whether the copy has values that were in the file before it was written.
        private func recover(_ target: Target, by copy: String, isAlike: Bool) throws(DefaultsError) {
            var status = stat()
            // A link of that name is not ours, and would lead the suite's writes elsewhere.
            guard lstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
            // The library removes a file of no values as a whole: that there is none is not the work of a kill.
            if let bytes = try bytes() {
                let copied = (try? Data(contentsOf: URL(fileURLWithPath: copy))) ?? Data()
                if Self.isTorn(bytes, beside: copied) {
                    return try explained { () throws(DurableFile.Failure) in
                        try DurableFile.move(copy, to: target.path)
                    }
                }
                if isAlike, let whole = Self.whole(bytes, copied) {
                    try save(Self.bytes(of: whole, in: self), as: target.path, by: target.beside("new-\(getpid())"))
                }
            }
            // The one who was killed may not have come to it.
            try drop(copy, of: target)
        }

        /// What a file is to have that was emptied by a kill, and in which the app has set something since, before Molt saw
        /// it; nil when it has lost nothing.
        ///
        /// That is so when it has nothing of what is in the copy, by the rule of ``SuiteIntent``.
        private static func whole(_ bytes: Data, _ copied: Data) -> [String: PropertyListValue]? {
            guard let values = values(bytes), !values.isEmpty, let copy = Self.values(copied), !copy.isEmpty,
                !values.contains(where: { copy[$0.key] == $0.value })
            else { return nil }
            let whole = copy.merging(values) { $1 }
            return whole.count > values.count ? whole : nil
        }

        private static func values(_ bytes: Data) -> [String: PropertyListValue]? {
            XMLPropertyListReader.values(bytes)
                ?? (try? PropertyListValue(normalizing: dictionary(bytes)))?.dictionary
        }

        /// Whether bytes are what a kill, or a loss of power, has left of the library's writing.
        ///
        /// That cuts the file to nothing first. What was not on disk then is zeros, in whole sectors or up to the end, which
        /// are taken for characters of a text where all around them is. A text may have a NUL in it, too; the one that looks
        /// like a sector's is believed when the copy has it.
        static func isTorn(_ bytes: Data, beside copy: Data?) -> Bool {
            if bytes.isEmpty || (try? dictionary(bytes)) == nil { return true }
            guard !bytes.starts(with: "bplist".utf8), hasEmptySector(bytes) else { return false }
            guard let copy, let values = values(bytes), let copied = Self.values(copy) else { return true }
            return values.contains { key, value in
                copied[key] != value && (key.utf8.contains(0) || value.hasNUL)
            }
        }

        /// Whether NULs reach the border of a sector of the disk, or the end.
        private static func hasEmptySector(_ bytes: Data) -> Bool {
            let sector = 512
            return bytes.withUnsafeBytes { bytes in
                var position = 0
                while let start = bytes[position...].firstIndex(of: 0) {
                    let end = bytes[start...].firstIndex { $0 != 0 } ?? bytes.count
                    let first = (start + sector - 1) / sector * sector
                    if start % sector == 0 || end % sector == 0 || end == bytes.count || first + sector <= end {
                        return true
                    }
                    position = end
                }
                return false
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
        /// A copy that has values of the file, before or after the change.
        private static let copy = "copy"
        /// New content in which nothing is as it was before.
        private static let successor = "next"

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

        /// Saves a copy, or leaves none: an old one would stand in for what the app saves later.
        private func saveCopy(_ bytes: Data, as copy: String, of target: Target) throws(DefaultsError) {
            do throws(DefaultsError) {
                try save(bytes, as: copy, by: target.beside("new-\(getpid())"))
            } catch {
                unlink(copy)
                throw error
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

    extension PropertyListValue {
        /// Whether a text in it has a NUL.
        fileprivate var hasNUL: Bool {
            switch self {
            case .string(let text): text.utf8.contains(0)
            case .array(let elements): elements.contains(where: \.hasNUL)
            case .dictionary(let values): values.contains { $0.key.utf8.contains(0) || $0.value.hasNUL }
            case .bool, .int, .unsigned, .double, .date, .data: false
            }
        }
    }
#endif
