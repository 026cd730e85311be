#if !canImport(Darwin)
    internal import Foundation
    internal import Synchronization

    /// A suite's domain on Linux: a property list in a file that `UserDefaults` keeps a copy of in memory.
    ///
    /// `UserDefaults` (Swift 6.3) keeps what the app sets in memory until `synchronize()`. That reads the file again, puts
    /// each key that was set over it, also one that was set back since, cuts the file to nothing and writes it. A file that
    /// cannot be read counts as empty. With nothing set it only forgets its copy. It does so for all suites of the process.
    ///
    /// So a change goes this way: lock, copy beside the file, `synchronize()`, read, replace the file by another one,
    /// `synchronize()` again so that the app sees it, read back. Setting the values through `UserDefaults` would take a time
    /// that grows with the square of their number.
    struct SuiteStorage {
        private let suite: Suite
        private let file: SuiteFile

        /// - Parameter isReplaced: Whether the file has the changes of this call already, and errors are to say so.
        init(_ suite: Suite, isReplaced: Bool = false) {
            self.suite = suite
            file = SuiteFile(suite, isReplaced: isReplaced)
        }

        // MARK: Reading

        /// What is in the file, after what a kill has left was put back; the lock is needed for that only.
        func saved() throws -> [String: PropertyListValue] {
            let found = Result { try file.read() }
            if !file.hasCopy, case .success(let values) = found { return values }
            guard file.hasDirectory else { return try found.get() }
            do {
                return try file.locked { try file.read() }
            } catch let error as DefaultsError where [.noPermission, .notWritable].contains(error.code) {
                // Without a lock there is nothing to be done about it.
                return try found.get()
            } catch let error as DefaultsError where error.code == .busy {
                // The holder may have been stopped. What it has not truncated can be read.
                if case .success(let values) = found, !values.isEmpty { return values }
                throw error
            }
        }

        /// Everything in the domain, what the app has set and not saved included; that is saved.
        func read() throws -> [String: PropertyListValue] {
            Self.noteUse(of: suite)
            let saved = try saved()
            if isSeen(saved) { return saved }
            // The library would make the directory without seeing to it that its name is on disk.
            guard file.hasDirectory else { return try live(saved: saved) }
            return try file.locked {
                var bytes = try file.bytes()
                if isSeen(try values(of: bytes)) { return try values(of: bytes) }
                return try synchronized(&bytes)
            }
        }

        /// One value as the app sees it, most often for the price of a look at the file's status.
        func liveValue(forKey key: String) throws -> PropertyListValue? {
            let saved = try file.unchangedValues() ?? saved()
            guard let object = try suite.makeDefaults().object(forKey: key) else { return nil }
            // What is no property list cannot be what was saved.
            let seen = try? PropertyListValue(normalizing: object)
            if let seen, saved[key] == seen.asStored() { return seen }
            // Registered defaults and launch arguments are seen in a suite that has nothing too.
            if saved[key] == nil, let other = try Self.emptySuite.makeDefaults().object(forKey: key),
                seen == (try? PropertyListValue(normalizing: other))
            {
                return nil
            }
            return try read()[key]
        }

        /// Writes what the app has set and not yet saved.
        func flush() throws {
            if !file.hasDirectory, try !live(saved: [:]).isEmpty || hasHidden(saved: [:]) { try file.makeDirectory() }
            let saved = try read()
            guard file.hasDirectory, try hasHidden(saved: saved) else { return }
            try file.locked {
                var bytes = try file.bytes()
                _ = try values(of: bytes)
                _ = try synchronized(&bytes)
            }
        }

        /// Whether the app may have set a value that equals its registered default, which ``live(saved:)`` cannot see.
        private func hasHidden(saved: [String: PropertyListValue]) throws -> Bool {
            guard suite.name == nil else { return false }
            return try Self.emptySuite.makeDefaults().dictionaryRepresentation().keys.contains { saved[$0] == nil }
        }

        /// Checks the file and its directory.
        func checkWritable() throws {
            _ = try saved()
            try file.checkWritable()
        }

        private func values(of bytes: Data?) throws -> [String: PropertyListValue] {
            guard let bytes, !bytes.isEmpty else { return [:] }
            return try file.values(of: bytes)
        }

        // MARK: Changing

        /// Replaces the file by one with the changes that follow from what is in it, and has the library read it.
        ///
        /// - Returns: Whether there were changes to make.
        func change(
            settingAsideDamage setsAside: Bool,
            _ edit: (SuiteContent) throws -> SuiteEdit
        ) throws -> Bool {
            Self.noteUse(of: suite)
            if !file.hasDirectory {
                guard try !edit(SuiteContent(values: live(saved: [:]))).isEmpty else { return false }
                try file.makeDirectory()
            }
            return try file.locked {
                var bytes = try file.settledBytes()
                let restored = try replaceTruncated(&bytes, setsAside, edit)
                let edit = { try edit(SuiteContent(values: $0)) }
                guard let first = try write(edit, over: &bytes) ?? restored else { return false }
                try SuiteStorage(suite, isReplaced: true).settle(first, edit, &bytes)
                return true
            }
        }

        /// Replaces a truncated file before the library saves anything.
        ///
        /// The library would write what the app has set over it. After a kill, the file would then look as if the app had
        /// removed all other settings.
        ///
        /// - Parameter bytes: What is in the file, and then, what was written.
        /// - Returns: The changes; nil when the file was not truncated, or there are none to make.
        private func replaceTruncated(
            _ bytes: inout Data?,
            _ setsAside: Bool,
            _ edit: (SuiteContent) throws -> SuiteEdit
        ) throws -> SuiteEdit? {
            for _ in 0..<SuiteFile.longestRace {
                guard let found = bytes, file.isTruncated(found) else { return nil }
                if !found.isEmpty {
                    // The file is reported as damaged where it is read next.
                    guard setsAside else { return nil }
                    try file.setAsideDamage()
                    bytes = Data()
                }
                var edit = try edit(SuiteContent(values: [:], isTruncated: true))
                guard !edit.isEmpty else { return nil }
                edit.values = PropertyListValue.asStored(edit.values)
                let values = edit.values
                guard !values.isEmpty else { return nil }
                try check(values)
                let successor = try file.makeSuccessor(values)
                if try file.replace(bytes, with: successor, nil) {
                    bytes = successor.bytes
                    return edit
                }
                // Another process has written the file in the meantime.
                bytes = try file.settledBytes()
            }
            return nil
        }

        /// Replaces the file, after the library has saved what it has and let go of it.
        ///
        /// - Parameter bytes: What is in the file, and then, what was written.
        /// - Returns: The changes; nil when there are none to make.
        private func write(_ edit: ([String: PropertyListValue]) throws -> SuiteEdit, over bytes: inout Data?) throws
            -> SuiteEdit?
        {
            var copy: SuiteFile.Copy?
            do {
                for round in 0..<SuiteFile.longestRace {
                    let saved = try values(of: bytes)
                    var edit = try edit(saved)
                    if edit.isEmpty, round > 0 || isSeen(saved) {
                        try file.end(copy)
                        try file.removeSuccessor()
                        return nil
                    }
                    edit.values = PropertyListValue.asStored(edit.values)
                    let values = PropertyListValue.asStored(edit.applied(to: saved))
                    try check(values)
                    let successor = try file.makeSuccessor(values)
                    // Once: an app that does not stop setting another key would have something new saved in each round.
                    if round == 0 {
                        copy = try file.makeCopy(of: bytes)
                        try synchronize()
                    }
                    let now = try file.settledBytes(bytes)
                    let isSame = try now == bytes || self.values(of: now) == saved
                    if try isSame && file.replace(now, with: successor, copy) {
                        bytes = successor.bytes
                        return edit
                    }
                    // The app has set something since the file was read, and now it is in there.
                    bytes = isSame ? try file.settledBytes(now) : now
                }
            } catch {
                // What cannot be put back now is with the next use.
                try? file.recover()
                throw error
            }
            try file.end(copy)
            throw DefaultsError(
                .readBackFailed,
                "The suite's file did not stop changing while it was to be written. Try again."
            ).of(suite: suite)
        }

        /// Has the app see what the file was replaced by, and makes sure of it.
        private func settle(
            _ first: SuiteEdit,
            _ edit: ([String: PropertyListValue]) throws -> SuiteEdit,
            _ bytes: inout Data?
        ) throws {
            var written = first
            for _ in 0..<SuiteFile.longestRace {
                let different = SuiteDomain.differences(try synchronized(&bytes), written)
                guard !different.isEmpty else { return }
                // The app has set it meanwhile, in another thread. Once more, and what it has set is for the edit to judge.
                let again = { try edit($0).restricted(to: Set(different)) }
                guard let next = try write(again, over: &bytes) else { return }
                written = next
            }
            let left = SuiteDomain.differences(try synchronized(&bytes), written)
            if !left.isEmpty { throw SuiteDomain.failure(differing: left, of: suite) }
        }

        /// What is in the file after the library has saved what it had and let go of it.
        ///
        /// - Parameter bytes: What is in the file, before and then.
        private func synchronized(_ bytes: inout Data?) throws -> [String: PropertyListValue] {
            let copy = try file.makeCopy(of: bytes)
            do {
                try synchronize()
                bytes = try file.settledBytes(bytes)
                try file.end(copy)
            } catch {
                // What cannot be put back now is with the next use.
                try? file.recover()
                throw error
            }
            return try values(of: bytes)
        }

        /// A domain of that one key alone would be read back as something else.
        private func check(_ values: [String: PropertyListValue]) throws {
            if let fault = SuiteFormat.fault(ofDictionary: values) {
                throw DefaultsError(.cannotStore, fault).of(suite: suite)
            }
        }

        // MARK: The library

        /// Has the library save what is unsaved, and read the file again.
        ///
        /// That saves other suites of the process too. Those that were used through Molt, and that have something to save,
        /// have a copy beside them meanwhile.
        private func synchronize() throws {
            let used = Self.used.withLock { $0.filter { $0 != .standard } + [.standard] }
            let others = used.filter { !$0.isSameDomain(as: suite) }.map { SuiteStorage($0) }
            try synchronize(beside: others.filter(\.hasUnsaved)[...])
        }

        private func synchronize(beside others: ArraySlice<SuiteStorage>) throws {
            guard let other = others.first else {
                let isSaved = try SuiteFormat.withDecimalPoint { try suite.makeDefaults().synchronize() }
                guard isSaved else {
                    throw file.failure(.notWritable, "What the app has set could not be saved to \(file.path).")
                }
                return
            }
            try other.file.withCopyUnlessBusy { try synchronize(beside: others.dropFirst()) }
        }

        /// The suites that this process has used last, the latest first: a few, because each is looked at for every
        /// writing.
        private static let used = Mutex<[Suite]>([])
        private static let longestUse = 8

        private static func noteUse(of suite: Suite) {
            used.withLock { used in
                used.removeAll { $0 == suite }
                used.insert(suite, at: 0)
                if used.count > longestUse { used.removeLast() }
            }
        }

        /// Whether the app has set something that can be seen and is not in the file.
        private var hasUnsaved: Bool {
            // A suite that cannot be read fares as with the app's own `synchronize()`.
            guard let saved = try? file.read(), let live = try? live(saved: saved) else { return false }
            return live != saved
        }

        /// Whether the library sees just that.
        private func isSeen(_ saved: [String: PropertyListValue]) -> Bool {
            // What cannot be read is not the same.
            guard let live = try? live(saved: saved) else { return false }
            return live == saved
        }

        /// What the app sees in the domain, what it has not saved included.
        ///
        /// For the app's own settings the library tells only together with the registered defaults; what is as it is
        /// registered, and not in the file, is taken for no more than that.
        private func live(saved: [String: PropertyListValue]) throws -> [String: PropertyListValue] {
            try SuiteFormat.withDecimalPoint {
                let defaults = try suite.makeDefaults()
                if let name = suite.name {
                    return try SuiteDomain.normalized(defaults.persistentDomain(forName: name) ?? [:], of: suite)
                }
                let registered = try Self.emptySuite.makeDefaults().dictionaryRepresentation()
                let objects = defaults.dictionaryRepresentation().filter { key, object in
                    guard saved[key] == nil, let other = registered[key] else { return true }
                    // What is no property list cannot be compared, and neither of the two is one then.
                    return (try? PropertyListValue(normalizing: object)) != (try? PropertyListValue(normalizing: other))
                }
                return try SuiteDomain.normalized(objects, of: suite)
            }
        }

        /// A suite that nobody writes, in which only registered defaults and launch arguments are seen.
        private static let emptySuite = Suite("dev.molt.empty")
    }
#endif
