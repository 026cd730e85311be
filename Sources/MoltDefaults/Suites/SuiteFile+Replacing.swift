#if !canImport(Darwin)
    internal import Foundation
    internal import MoltCore

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    // All of this is to be called with the lock.
    extension SuiteFile {
        /// What stands beside the file while the library may write it in place.
        struct Copy {
            let target: Target
            /// What the file had.
            let bytes: Data
            var path: String { target.beside("copy") }
        }

        /// Makes the directory, and those above it, for their owner only.
        func makeDirectory() throws {
            guard !hasDirectory else { return }
            do {
                try DurableDirectory.make(at: directory)
            } catch {
                var failure = failure(.notWritable, "The directory of the suite's file cannot be made.")
                failure.underlying = error
                throw failure
            }
        }

        // MARK: While the library may write the file

        /// Sets the file aside as a copy, and puts a duplicate in its place for the library to write.
        ///
        /// The copy is the file itself, under another name, so that it needs no sync: a loss of power leaves the file in its
        /// place, or the copy beside the duplicate.
        ///
        /// - Parameter known: What was read from the file; it is what the copy has when the file stays truncated.
        /// - Returns: nil when there is nothing to lose.
        func makeCopy(of known: Data?) throws -> Copy? {
            for _ in 0..<Self.longestRace {
                guard let bytes = try settledBytes(known), !bytes.isEmpty else { return nil }
                let copy = Copy(target: try target(), bytes: bytes)
                let duplicate = copy.target.beside("duplicate")
                try explained { () throws(DurableFile.Failure) in
                    try DurableFile.makeNew(duplicate, with: bytes, isSynced: false, prepare: keepOwner)
                    if link(copy.target.path, copy.path) != 0 || (try? DurableFile.read(copy.path)) != bytes {
                        // The volume has no links, or the file is truncated.
                        let temporary = copy.target.beside("replaced")
                        try DurableFile.replace(copy.path, with: bytes, by: temporary, prepare: keepOwner)
                    }
                }
                if try put(duplicate, inPlaceOf: bytes, copy.target) { return copy }
                unlink(copy.path)
            }
            throw failure(.notWritable, "The suite's file did not stop changing while it was to be copied. Try again.")
        }

        /// How often something is begun again because the file has become another meanwhile.
        static let longestRace = 20

        /// Ends the time in which the library may write the file: puts it back, or drops the copy when it was written.
        func end(_ copy: Copy?) throws {
            guard let copy else { return }
            if let found = try settledBytes(), isTruncated(found) {
                // Another process was stopped or killed while writing it.
                return try explained { () throws(DurableFile.Failure) in
                    try DurableFile.move(copy.path, to: copy.target.path)
                }
            }
            if try bytes() == copy.bytes, try put(copy.path, inPlaceOf: copy.bytes, copy.target) { return }
            try drop(copy.path, of: copy.target)
        }

        /// Puts a file in the place of the suite's.
        ///
        /// The library writes files in place, in any thread of the app and in other processes, which hold no lock of ours. So
        /// the file that is replaced keeps a name until it was seen that nobody has begun to write it before.
        ///
        /// - Parameters:
        ///   - path: The file that is to take the place.
        ///   - known: What the one that is there has.
        /// - Returns: False when somebody has written that one meanwhile; it is in its place again then.
        private func put(_ path: String, inPlaceOf known: Data?, _ target: Target) throws -> Bool {
            let replaced = target.beside("replaced")
            let isLinked = link(target.path, replaced) == 0
            if !isLinked, errno == ENOENT {
                // There is no file to replace. Unlike `rename`, `link` fails if one has appeared in the meantime.
                if link(path, target.path) == 0 {
                    unlink(path)
                    return true
                }
                if errno == EEXIST { return false }
            }
            guard rename(path, target.path) == 0 else { throw failure(ofCall: errno) }
            guard isLinked else { return true }
            if try settledBytes(known, at: replaced) == known {
                unlink(replaced)
                return true
            }
            guard rename(replaced, target.path) == 0 else { throw failure(ofCall: errno) }
            return false
        }

        /// Runs a closure in which the library may write the file, which is not the one that is changed.
        ///
        /// A file that another process changes now is not waited for, nor is one that cannot be copied: such a file is
        /// written as the app itself would have it written. Only what the closure throws is thrown.
        func withCopyUnlessBusy(_ body: () throws -> Void) throws {
            struct Busy: Error {}
            guard let lock = try? lock(waiting: { throw Busy() }) else { return try body() }
            try? recover()
            let copy = (try? bytes()).flatMap { try? makeCopy(of: $0) }
            do {
                try body()
            } catch {
                try? recover()
                throw error
            }
            // Trouble with this file must not fail the change of another. What cannot be put back now is with the next use.
            do { try end(copy) } catch { try? recover() }
            _ = consume lock
        }

        /// The file's bytes, once anyone who is writing them in place has finished; of a file that stays truncated, what is
        /// known of it.
        ///
        /// - Parameter path: The name that the file has; its own by default.
        func settledBytes(_ known: Data? = nil, at path: String? = nil) throws -> Data? {
            let path = path ?? self.path
            var found = try bytes(at: path)
            for _ in 0..<Self.longestWait {
                guard let content = found, content != known, isTruncated(content) else { return found }
                usleep(2_000)
                found = try bytes(at: path)
            }
            return known ?? found
        }

        /// How often a file that is truncated is looked at.
        private static let longestWait = 100

        /// Removes a copy, when the file is on disk; it does not come back after that.
        private func drop(_ copy: String, of target: Target) throws {
            try explained { () throws(DurableFile.Failure) in
                // Nothing says that the library syncs what it writes, though that of Swift 6.3 does: without the copy, a
                // loss of power could leave an empty file.
                try DurableFile.sync(target.path)
                unlink(copy)
                // The file's own name was there before, or is new and goes to the disk with this.
                try DurableFile.sync(directory: target.directory)
            }
        }

        // MARK: Replacing it

        /// A new content of the file, whole and on disk under a name of its own.
        struct Successor {
            let target: Target
            let bytes: Data
            var path: String { target.beside("new") }
        }

        /// Writes the content that is to take the file's place.
        ///
        /// - Throws: ``DefaultsError`` with the code `cannotStore` when Foundation would read back something else.
        func makeSuccessor(_ values: [String: PropertyListValue]) throws -> Successor {
            let bytes: Data
            do {
                bytes = try SuiteFormat.withDecimalPoint {
                    let objects = values.mapValues(\.object)
                    return try PropertyListSerialization.data(fromPropertyList: objects, format: .xml, options: 0)
                }
            } catch {
                var failure = failure(.cannotStore, "The suite's values could not be written as a property list.")
                failure.underlying = error
                throw failure
            }
            guard try self.values(of: bytes) == values else {
                throw failure(.cannotStore, "The suite's values would not be read back as they are.")
            }
            let successor = Successor(target: try target(), bytes: bytes)
            try explained { () throws(DurableFile.Failure) in
                try DurableFile.makeNew(successor.path, with: bytes, prepare: keepOwner)
            }
            return successor
        }

        /// Removes a new content that is not needed after all.
        func removeSuccessor() throws {
            unlink(try target().beside("new"))
        }

        /// Puts a new content in the file's place; the file keeps its permissions.
        ///
        /// - Parameters:
        ///   - known: What the file has.
        ///   - copy: It is dropped.
        /// - Returns: False when somebody has written the file meanwhile; it was not replaced then.
        func replace(_ known: Data?, with successor: Successor, _ copy: Copy?) throws -> Bool {
            let target = successor.target
            let old = target.beside("old")
            // By this name it is not taken for what the new content has lost.
            if let copy, rename(copy.path, old) != 0 { throw failure(ofCall: errno) }
            guard try put(successor.path, inPlaceOf: known, target) else {
                if let copy, rename(old, copy.path) != 0 { throw failure(ofCall: errno) }
                return false
            }
            unlink(old)
            do throws(DurableFile.Failure) {
                try DurableFile.sync(directory: target.directory)
            } catch {
                throw failure(
                    .notWritable,
                    "The suite's file was replaced, but the disk did not confirm it: \(error.reason). A loss of power may "
                        + "take the changes back."
                )
            }
            return true
        }

        // MARK: After a kill

        /// Whether a process was killed while the library could write the file, or is at that now.
        var hasCopy: Bool {
            guard let target = try? target() else { return false }
            return ["copy", "old"].contains { access(target.beside($0), F_OK) == 0 }
        }

        /// Puts back what a kill during the library's own writing has destroyed.
        func recover() throws {
            let target = try target()
            try recover(target, by: target.beside("copy"), mayHaveNewer: true)
            try recover(target, by: target.beside("old"), mayHaveNewer: false)
            for path in ["new", "duplicate", "replaced"].map(target.beside) where access(path, F_OK) == 0 {
                unlink(path)
            }
        }

        /// - Parameter mayHaveNewer: Whether a whole file that has nothing of the copy was truncated, too.
        private func recover(_ target: Target, by copy: String, mayHaveNewer: Bool) throws {
            var status = stat()
            // A link of that name is not ours, and would lead the suite's writes elsewhere.
            guard lstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
            let copied = (try? Data(contentsOf: URL(fileURLWithPath: copy))) ?? Data()
            // The library removes a file without values as a whole: a missing file is not the result of a kill.
            if let bytes = try bytes() {
                switch content(whenFound: bytes, beside: copied) {
                case .found:
                    break
                case .copy:
                    return try explained { () throws(DurableFile.Failure) in
                        try DurableFile.move(copy, to: target.path)
                    }
                case .both(let values):
                    guard mayHaveNewer else { break }
                    let successor = try makeSuccessor(values)
                    guard rename(successor.path, target.path) == 0 else { throw failure(ofCall: errno) }
                }
            }
            // The killed process may not have dropped it.
            try drop(copy, of: target)
        }

        /// The content that a file should have, judged by what was found in it and by the copy beside it.
        private enum Judgement {
            /// What was found: the file is intact, or the copy is no better.
            case found
            /// What the copy has: the file was truncated.
            case copy
            /// The copy, with the values found on top: the file was truncated, and the app has set those values since.
            case both([String: PropertyListValue])
        }

        /// Decides what a file should have that lies beside a copy.
        ///
        /// A truncated file without a copy is decided by the changes that are made to it: see ``SuiteContent/isTruncated``.
        private func content(whenFound bytes: Data, beside copied: Data) -> Judgement {
            guard let copied = Self.values(copied) else { return .found }
            if isTruncated(bytes) || Self.hasLostSectors(bytes, beside: copied) { return .copy }
            // A file that has values, and none of those in the copy, was truncated before the app set them.
            guard let values = Self.values(bytes), !values.isEmpty,
                !values.contains(where: { copied[$0.key] == $0.value })
            else { return .found }
            let both = copied.merging(values) { $1 }
            return both.count > values.count ? .both(both) : .found
        }

        private static func values(_ bytes: Data) -> [String: PropertyListValue]? {
            guard !bytes.isEmpty else { return nil }
            return (try? PropertyListReader.value(bytes, around: 1))?.dictionary
        }

        /// Whether bytes are what a kill has left of the library's writing, which cuts the file to nothing first.
        func isTruncated(_ bytes: Data) -> Bool {
            // Values that no suite holds are no sign of it.
            bytes.isEmpty || (try? values(of: bytes)) == nil && (try? Self.dictionary(bytes)) == nil
        }

        /// Whether a part of the bytes was not on disk when power was lost during the library's writing.
        ///
        /// It is zeros then, in whole sectors or up to the end, which are taken for characters of a text where all around
        /// them is. A text may have a NUL in it, too; the one that looks like a sector's is believed when the copy has it.
        private static func hasLostSectors(_ bytes: Data, beside copied: [String: PropertyListValue]) -> Bool {
            guard !bytes.starts(with: "bplist".utf8), hasEmptySector(bytes), let values = values(bytes) else {
                return false
            }
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

        /// Sets a file that is no property list aside, so that it is not lost when another takes its place.
        ///
        /// An empty one stays in its place: after a kill, it says that something was lost.
        func setAsideDamage() throws {
            let target = try target()
            var aside = target.path + ".damaged"
            var number = 1
            while access(aside, F_OK) == 0 {
                number += 1
                aside = "\(target.path).damaged-\(number)"
            }
            try explained { () throws(DurableFile.Failure) in
                if link(target.path, aside) != 0 { try DurableFile.move(target.path, to: aside) }
                try DurableFile.replace(target.path, with: Data(), by: target.beside("new"), prepare: keepOwner)
            }
        }

        // MARK: Helpers

        /// Checks the file and its directory, or the nearest one above it that there is.
        func checkWritable() throws {
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

        /// Says what a failure means for the suite.
        private func explained(_ body: () throws(DurableFile.Failure) -> Void) throws {
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
