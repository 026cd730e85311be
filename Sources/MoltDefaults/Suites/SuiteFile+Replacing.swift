#if !canImport(Darwin)
    internal import MoltPlatform
    internal import Foundation
    internal import MoltCore

    // Call all of these with the lock.
    extension SuiteFile {
        /// A copy beside the file while the library may write the file in place.
        struct Copy {
            let target: Target
            let bytes: Data
            var path: String { target.beside("copy") }
        }

        /// Makes the directory and its missing parents, accessible only to their owner.
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

        // MARK: Protecting the file from the library

        /// Held while Molt has the library save, and while a file is replaced, which other threads may do at any time.
        static let library = NSLock()

        /// Renames the file as a copy, and puts a duplicate in its place for the library to write.
        ///
        /// The copy is the original file under another name, so it needs no sync: after a power loss, either the file
        /// is in its place, or the copy is beside the duplicate.
        ///
        /// - Parameter known: The bytes last read from the file; the copy gets them if the file stays truncated.
        /// - Returns: nil if the file does not exist or is empty.
        func makeCopy(of known: Data?) throws -> Copy? {
            for _ in 0..<Self.longestRace {
                guard let bytes = try settledBytes(known), !bytes.isEmpty else { return nil }
                let copy = Copy(target: try target(), bytes: bytes)
                let duplicate = copy.target.beside("duplicate")
                try explained { () throws(DurableFile.Failure) in
                    try DurableFile.makeNew(duplicate, with: bytes, isSynced: false, prepare: keepOwner)
                    if link(copy.target.path, copy.path) != 0 || (try? DurableFile.read(copy.path)) != bytes {
                        // The volume does not support links, or the file is truncated.
                        let temporary = copy.target.beside("replaced")
                        try DurableFile.replace(copy.path, with: bytes, by: temporary, prepare: keepOwner)
                    }
                }
                if try put(duplicate, inPlaceOf: bytes, copy.target) { return copy }
                unlink(copy.path)
            }
            throw failure(.notWritable, "The suite's file kept changing while it was being copied. Try again.")
        }

        /// The maximum number of attempts when the file keeps changing.
        static let longestRace = 20

        /// Ends the period of library writes: restores the file, or drops the copy if the file was written.
        func end(_ copy: Copy?) throws {
            guard let copy else { return }
            if let found = try settledBytes(), isTruncated(found) {
                // Another process was suspended or killed while it wrote the file.
                return try explained { () throws(DurableFile.Failure) in
                    try DurableFile.move(copy.path, to: copy.target.path)
                }
            }
            if try bytes() == copy.bytes, try put(copy.path, inPlaceOf: copy.bytes, copy.target) { return }
            try drop(copy.path, of: copy.target)
        }

        /// Replaces the suite's file with another file.
        ///
        /// The library writes files in place, from any thread of the app and from other processes, without our lock.
        /// The replaced file therefore keeps a name until it is certain that no write to it began before the
        /// replacement.
        ///
        /// - Parameters:
        ///   - path: The path of the replacement.
        ///   - known: The expected content of the current file.
        /// - Returns: False if the current file was written meanwhile; it is then back in its place.
        private func put(_ path: String, inPlaceOf known: Data?, _ target: Target) throws -> Bool {
            // What another thread has the library write into a replacement would be lost if the file goes back.
            Self.library.lock()
            defer { Self.library.unlock() }
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

        /// Runs a closure that changes another suite, while the library may write this file too.
        ///
        /// It does not wait for a file that another process is changing; such a file, and one that is damaged or cannot
        /// be copied, is written without protection, as by the app itself. Only errors of the closure are thrown.
        func withCopyUnlessBusy(_ body: () throws -> Void) throws {
            guard access(path, F_OK) == 0, let lock = lockIfFree() else { return try body() }
            try? recover()
            let bytes = (try? bytes()).flatMap { bytes in (try? values(of: bytes)) == nil ? nil : bytes }
            let copy = bytes.flatMap { try? makeCopy(of: $0) }
            do {
                try body()
            } catch {
                try? recover()
                throw error
            }
            // A failure of this file must not fail the change of another. The next use of the suite restores the file.
            do { try end(copy) } catch { try? recover() }
            _ = consume lock
        }

        /// The file's bytes once any writer has finished; the known bytes if the file stays truncated.
        ///
        /// - Parameter path: The path to read; the file's own by default.
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

        /// The maximum number of reads of a truncated file.
        private static let longestWait = 100

        /// Removes a copy durably after the file is synced.
        private func drop(_ copy: String, of target: Target) throws {
            try explained { () throws(DurableFile.Failure) in
                // The library of Swift 6.3 syncs the files it writes, but this is undocumented. If it did not, a power
                // loss after the removal of the copy could leave an empty file.
                try DurableFile.sync(target.path)
                unlink(copy)
                // A new directory entry of the file itself is synced here too.
                try DurableFile.sync(directory: target.directory)
            }
        }

        // MARK: Replacing the file

        /// New content for the file, complete and synced under a temporary name.
        struct Successor {
            let target: Target
            let bytes: Data
            var path: String { target.beside("new") }
        }

        /// Writes the new content of the file.
        ///
        /// - Throws: ``DefaultsError`` with the code `cannotStore` if Foundation would read back other content.
        func makeSuccessor(_ values: [String: PropertyListValue]) throws -> Successor {
            let bytes = try xml(of: values)
            let successor = Successor(target: try target(), bytes: bytes)
            try explained { () throws(DurableFile.Failure) in
                try DurableFile.makeNew(successor.path, with: bytes, prepare: keepOwner)
            }
            return successor
        }

        /// The values as Foundation reads them back; the first way is fast, but cannot write every date.
        private func xml(of values: [String: PropertyListValue]) throws -> Data {
            for write in [PropertyListWriter.encode, PropertyListWriter.serialize] {
                let bytes: Data
                do {
                    bytes = try write(values)
                } catch {
                    var failure = failure(.cannotStore, "The suite's values could not be written as a property list.")
                    failure.underlying = error
                    throw failure
                }
                if (try? self.values(of: bytes)) == values { return bytes }
            }
            throw failure(.cannotStore, "The suite would not return the values as they were written.")
        }

        func removeSuccessor() throws {
            unlink(try target().beside("new"))
        }

        /// Replaces the file with new content; the file keeps its permissions.
        ///
        /// - Parameters:
        ///   - known: The expected content of the file.
        ///   - copy: The copy to drop.
        /// - Returns: False if the file was written meanwhile and therefore not replaced.
        func replace(_ known: Data?, with successor: Successor, _ copy: Copy?) throws -> Bool {
            let target = successor.target
            let old = target.beside("old")
            // Under this name, recovery does not restore values that the new content has removed.
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

        // MARK: Recovering from a kill

        /// Whether a process is changing the file now, or was killed while the library could write it.
        var hasCopy: Bool {
            guard let target = try? target() else { return false }
            return ["copy", "old"].contains { access(target.beside($0), F_OK) == 0 }
        }

        /// Restores a file that a kill during the library's writing has destroyed.
        func recover() throws {
            let target = try target()
            try recover(target, by: target.beside("copy"), mayHaveNewer: true)
            try recover(target, by: target.beside("old"), mayHaveNewer: false)
            for path in ["new", "duplicate", "replaced"].map(target.beside) where access(path, F_OK) == 0 {
                unlink(path)
            }
        }

        /// - Parameter mayHaveNewer: Whether a valid file that shares no value with the copy counts as truncated, too.
        private func recover(_ target: Target, by copy: String, mayHaveNewer: Bool) throws {
            var status = stat()
            // A symbolic link of that name is not ours, and would redirect the suite's writes.
            guard lstat(copy, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
            let copied = (try? Data(contentsOf: URL(fileURLWithPath: copy))) ?? Data()
            // The library removes a file without values, so a missing file is not the result of a kill.
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

        /// The content that a file should have, determined from the file and the copy beside it.
        private enum Judgement {
            /// The file's content: it is intact, or the copy is no better.
            case found
            /// The copy's content: the file is truncated.
            case copy
            /// The copy's values overwritten by the file's: the app has set the latter since the file was truncated.
            case both([String: PropertyListValue])
        }

        /// Determines the content that a file with a copy should have.
        ///
        /// For a truncated file without a copy, the changes made to it decide; see ``SuiteContent/isTruncated``.
        private func content(whenFound bytes: Data, beside copied: Data) -> Judgement {
            guard let copied = try? values(of: copied) else { return .found }
            if isTruncated(bytes) || hasLostSectors(bytes, beside: copied) { return .copy }
            // A file that shares no value with the copy was truncated before the app set its values.
            guard let values = try? values(of: bytes), !values.isEmpty,
                !values.contains(where: { copied[$0.key] == $0.value })
            else { return .found }
            let both = copied.merging(values) { $1 }
            return both.count > values.count ? .both(both) : .found
        }

        /// Whether a kill during the library's writing, which truncates the file first, has left these bytes.
        func isTruncated(_ bytes: Data) -> Bool {
            guard !bytes.isEmpty else { return true }
            do {
                _ = try values(of: bytes)
                return false
            } catch {
                // Values that no suite can hold are not a sign of truncation.
                return (error as? DefaultsError)?.key == nil
            }
        }

        /// Whether a part of the bytes was not yet on disk when power was lost during the library's writing.
        ///
        /// Such a part consists of zeros, in whole sectors or up to the end, and inside a string it reads as NUL
        /// characters. A string may also contain NULs legitimately; they are accepted if the copy has them too.
        private func hasLostSectors(_ bytes: Data, beside copied: [String: PropertyListValue]) -> Bool {
            guard !bytes.starts(with: "bplist".utf8), Self.hasEmptySector(bytes), let values = try? values(of: bytes)
            else {
                return false
            }
            return values.contains { key, value in
                copied[key] != value && (key.utf8.contains(0) || value.hasNUL)
            }
        }

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

        /// Renames a file that is not a property list, to preserve it when it is replaced.
        ///
        /// An empty file stays in its place: after a kill, it shows that settings were lost.
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

        /// Checks the file and its directory, or the nearest existing ancestor.
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

        /// Converts file system failures to errors about the suite.
        private func explained(_ body: () throws(DurableFile.Failure) -> Void) throws {
            do throws(DurableFile.Failure) {
                try body()
            } catch {
                throw failure(ofCall: error.number)
            }
        }

        /// Gives a new file the permissions of the suite's file, and its owner if this process may set it.
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
