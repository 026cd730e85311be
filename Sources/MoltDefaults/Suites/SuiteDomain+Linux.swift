#if !canImport(Darwin)
    internal import Foundation
    internal import Synchronization

    /// The persistent domain of a suite on Linux, read as a whole and changed atomically.
    ///
    /// It is a property list file that `UserDefaults` caches in memory.
    ///
    /// `UserDefaults` (Swift 6.3) keeps values that the app sets in memory until `synchronize()`. That call rereads the
    /// file, overwrites each key that was set (even if it was set back since), truncates the file and writes it. An
    /// unreadable file counts as empty. With nothing set, it only discards its cache. It covers all suites of the
    /// process.
    ///
    /// A change therefore takes these steps: lock, copy beside the file, `synchronize()`, read, replace the file,
    /// `synchronize()` again so that the app sees the change, read back. Setting the values through `UserDefaults`
    /// would take quadratic time.
    package struct SuiteDomain: Sendable {
        package let suite: Suite
        private let file: SuiteFile

        package init(_ suite: Suite) {
            self.suite = suite
            file = SuiteFile(suite)
        }

        // MARK: Reading

        /// The values in the file: those that Molt has written, and most of those that the app has set.
        ///
        /// It first recovers from a kill, which is the only reason to take the lock.
        ///
        /// - Throws: The same errors as ``read()``.
        package func readSaved() throws -> [String: PropertyListValue] {
            try suite.validate()
            let found = Result { try file.read() }
            if !file.hasCopy, case .success(let values) = found { return values }
            guard file.hasDirectory else { return try found.get() }
            do {
                return try file.locked { try file.read() }
            } catch let error as DefaultsError where [.noPermission, .notWritable].contains(error.code) {
                // Recovery is impossible without the lock.
                return try found.get()
            } catch let error as DefaultsError where error.code == .busy {
                // The holder may be suspended. The file can be read unless the holder has truncated it.
                if case .success(let values) = found, !values.isEmpty { return values }
                throw error
            }
        }

        /// All values in the domain; saves the app's unsaved values.
        ///
        /// - Throws: ``DefaultsError`` with the code `invalidSuite`, `unreadable`, `noPermission`, `notWritable` or
        ///   `busy`. During an upgrade, `MigrationError` with the code `busy`, `cancelled` or `deadlinePassed`.
        package func read() throws -> [String: PropertyListValue] {
            let saved = try readSaved()
            Self.noteUse(of: suite)
            if matchesLibrary(saved) { return saved }
            // The library would create the directory without syncing its directory entry.
            guard file.hasDirectory else { return try live(saved: saved) }
            return try file.locked {
                var bytes = try file.bytes()
                if matchesLibrary(try values(of: bytes)) { return try values(of: bytes) }
                return try synchronized(&bytes)
            }
        }

        /// All values in the domain, for a caller that is about to change it; saves the app's unsaved values.
        ///
        /// The library saves whether or not there is anything to save, because finding that out takes as long as reading
        /// the file twice. While another holder has the lock, and on a volume that cannot be written, it is found out.
        ///
        /// - Throws: The same errors as ``read()``.
        package func readForChange() throws -> [String: PropertyListValue] {
            Self.noteUse(of: suite)
            guard try !readSaved().isEmpty else { return try read() }
            do {
                return try file.lockedIfFree(saving) ?? read()
            } catch let error as DefaultsError where [.noPermission, .notWritable].contains(error.code) {
                return try read()
            }
        }

        /// Has the library save its unsaved values; call it with the lock.
        private func saving() throws -> [String: PropertyListValue] {
            var bytes = try file.bytes()
            // The library would overwrite a damaged file.
            _ = try values(of: bytes)
            return try synchronized(&bytes)
        }

        /// One value as the app sees it; usually this only checks the file's status.
        func liveValue(forKey key: String) throws -> PropertyListValue? {
            try suite.validate()
            let saved = try file.unchangedValues() ?? readSaved()
            guard let object = try suite.makeDefaults().object(forKey: key) else { return nil }
            // A value that is not a property list cannot be a saved one.
            let seen = try? PropertyListValue(normalizing: object)
            if let seen, saved[key] == seen.asStored() { return seen }
            // An empty suite shows registered defaults and launch arguments too.
            if saved[key] == nil, let other = try Self.emptySuite.makeDefaults().object(forKey: key),
                seen == (try? PropertyListValue(normalizing: other))
            {
                return nil
            }
            return try read()[key]
        }

        /// Writes the values that the app has set but not yet saved.
        func flush() throws {
            _ = try readSaved()
            Self.noteUse(of: suite)
            if !file.hasDirectory {
                guard try !live(saved: [:]).isEmpty else { return }
                try file.makeDirectory()
            }
            _ = try file.locked(saving)
        }

        /// Checks that the domain could be written now, without writing it.
        ///
        /// - Throws: The same ``DefaultsError`` as ``change(settingAsideDamage:_:)``.
        package func checkWritable() throws {
            _ = try readSaved()
            try file.checkWritable()
        }

        private func values(of bytes: Data?) throws -> [String: PropertyListValue] {
            guard let bytes, !bytes.isEmpty else { return [:] }
            return try file.values(of: bytes)
        }

        // MARK: Changing

        /// Replaces the file with the changes computed from its values, and has the library read it.
        ///
        /// Nothing is written if a value cannot be stored or the file cannot be read. No other user of Molt writes the
        /// domain between the read and the write. The file is written as XML, so dates from a binary file lose their
        /// fractional seconds too.
        ///
        /// - Parameters:
        ///   - setsAside: Whether a file that is not a property list, such as one truncated by a kill, is renamed with
        ///     the suffix `.damaged`; for callers that know its content and restore it.
        ///   - makeEdit: Receives the domain's content and returns the changes; if they are empty, nothing is written. It
        ///     must not use the suite. It may be called again if the app changes the suite meanwhile.
        /// - Throws: ``DefaultsError`` as ``read()``, `cannotStore`, or `readBackFailed` with the keys that differ.
        package func change(
            settingAsideDamage setsAside: Bool,
            _ makeEdit: (SuiteContent) throws -> SuiteEdit
        ) throws {
            try suite.validate()
            Self.noteUse(of: suite)
            if !file.hasDirectory {
                guard try !makeEdit(SuiteContent(values: live(saved: [:]))).checked(for: suite).isEmpty else { return }
                try file.makeDirectory()
            }
            try file.locked {
                var bytes = try file.settledBytes()
                let restored = try replaceTruncated(&bytes, setsAside, makeEdit)
                let makeEdit = { try makeEdit(SuiteContent(values: $0)) }
                guard let first = try replaceFile(&bytes, makeEdit) ?? restored else { return }
                try reloadAndVerify(first, makeEdit, &bytes)
            }
        }

        /// Replaces a truncated file before the library saves anything.
        ///
        /// Otherwise the library would write the app's unsaved values over the file, and after a kill the file would
        /// look as if the app had removed all other settings.
        ///
        /// - Parameter bytes: On input, the content of the file; on return, the written content.
        /// - Returns: The changes; nil if the file is not truncated or there are no changes.
        private func replaceTruncated(
            _ bytes: inout Data?,
            _ setsAside: Bool,
            _ makeEdit: (SuiteContent) throws -> SuiteEdit
        ) throws -> SuiteEdit? {
            for _ in 0..<SuiteFile.longestRace {
                guard let found = bytes, file.isTruncated(found) else { return nil }
                if !found.isEmpty {
                    // The next read reports the file as damaged.
                    guard setsAside else { return nil }
                    try file.setAsideDamage()
                    bytes = Data()
                }
                var edit = try makeEdit(SuiteContent(values: [:], isTruncated: true)).checked(for: suite)
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
                bytes = try file.settledBytes()
            }
            return nil
        }

        /// Replaces the file after the library has saved its values and discarded its cache.
        ///
        /// - Parameter bytes: On input, the content of the file; on return, the written content.
        /// - Returns: The changes; nil if there are none.
        private func replaceFile(
            _ bytes: inout Data?,
            _ makeEdit: ([String: PropertyListValue]) throws -> SuiteEdit
        ) throws -> SuiteEdit? {
            var copy: SuiteFile.Copy?
            do {
                for round in 0..<SuiteFile.longestRace {
                    let saved = try values(of: bytes)
                    var edit = try makeEdit(saved).checked(for: suite)
                    if edit.isEmpty, round > 0 || matchesLibrary(saved) {
                        try file.end(copy)
                        try file.removeSuccessor()
                        return nil
                    }
                    edit.values = PropertyListValue.asStored(edit.values)
                    let values = PropertyListValue.asStored(edit.applied(to: saved))
                    try check(values)
                    let successor = try file.makeSuccessor(values)
                    // Only once: an app that keeps setting another key would have a new unsaved value in each round.
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
                    // The app has set a value since the file was read, and the file now contains it.
                    bytes = isSame ? try file.settledBytes(now) : now
                }
            } catch {
                // The next use of the suite restores the file if this fails.
                try? file.recover()
                throw error
            }
            try file.end(copy)
            throw DefaultsError(
                .readBackFailed,
                "The suite's file kept changing while it was being written. Try again."
            ).of(suite: suite)
        }

        /// Has the library read the replaced file, and verifies that it did.
        private func reloadAndVerify(
            _ first: SuiteEdit,
            _ makeEdit: ([String: PropertyListValue]) throws -> SuiteEdit,
            _ bytes: inout Data?
        ) throws {
            var written = first
            for _ in 0..<SuiteFile.longestRace {
                let different = Self.differences(try synchronized(&bytes), written)
                guard !different.isEmpty else { return }
                // The app has set these keys meanwhile, in another thread. The edit decides about their new values.
                let makeAgain = { try makeEdit($0).restricted(to: Set(different)) }
                guard let next = try replaceFile(&bytes, makeAgain) else { return }
                written = next
            }
            let left = Self.differences(try synchronized(&bytes), written)
            if !left.isEmpty { throw Self.failure(differing: left, of: suite) }
        }

        /// The values in the file after the library has saved its values and discarded its cache.
        ///
        /// - Parameter bytes: On input, the content of the file; on return, its new content.
        private func synchronized(_ bytes: inout Data?) throws -> [String: PropertyListValue] {
            let copy = try file.makeCopy(of: bytes)
            do {
                try synchronize()
                bytes = try file.settledBytes(bytes)
                try file.end(copy)
            } catch {
                // The next use of the suite restores the file if this fails.
                try? file.recover()
                throw error
            }
            return try values(of: bytes)
        }

        /// Removes the suite's file, which no longer has values, while no other thread protects or recovers it.
        package func removeFile() {
            let remove = {
                for suffix in ["", ".damaged"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
            }
            // A holder that keeps the lock for seconds is stopped, or of another process.
            do { try file.locked(remove) } catch { remove() }
            Self.used.withLock { used in used.removeAll { $0 == suite } }
        }

        /// Checks for a domain whose only key is `CF$UID`, which is read back differently.
        private func check(_ values: [String: PropertyListValue]) throws {
            if let fault = SuiteFormat.fault(ofDictionary: values) {
                throw DefaultsError(.cannotStore, fault).of(suite: suite)
            }
        }

        // MARK: The library

        /// Has the library save its unsaved values and reread the file.
        ///
        /// This saves other suites of the process too. Suites that were used through Molt and have unsaved values get a
        /// copy beside their file meanwhile.
        private func synchronize() throws {
            let used = Self.used.withLock { $0.filter { $0 != .standard } + [.standard] }
            let others = used.filter { !$0.isSameDomain(as: suite) }.map { SuiteDomain($0) }
            try synchronize(beside: others.filter(\.hasUnsaved)[...])
        }

        private func synchronize(beside others: ArraySlice<SuiteDomain>) throws {
            guard let other = others.first else {
                let isSaved = try SuiteFile.library.withLock {
                    try SuiteFormat.withDecimalPoint { try suite.makeDefaults().synchronize() }
                }
                guard isSaved else {
                    throw file.failure(.notWritable, "The app's changes could not be saved to \(file.path).")
                }
                return
            }
            try other.file.withCopyUnlessBusy { try synchronize(beside: others.dropFirst()) }
        }

        /// The suites used most recently, latest first; limited, because each write checks all of them.
        private static let used = Mutex<[Suite]>([])
        private static let longestUse = 8

        private static func noteUse(of suite: Suite) {
            used.withLock { used in
                used.removeAll { $0 == suite }
                used.insert(suite, at: 0)
                if used.count > longestUse { used.removeLast() }
            }
        }

        /// Whether the app has set visible values that are not in the file.
        private var hasUnsaved: Bool {
            // An unreadable suite is treated as by the app's own `synchronize()`.
            guard let saved = try? file.read(), let live = try? live(saved: saved) else { return false }
            return live != saved
        }

        private func matchesLibrary(_ saved: [String: PropertyListValue]) -> Bool {
            // Unreadable values do not equal the saved ones.
            guard let live = try? live(saved: saved) else { return false }
            return live == saved
        }

        /// The values that the app sees in the domain, including unsaved ones.
        ///
        /// For the app's own settings the library returns them only together with the registered defaults. A value that
        /// equals its registered default and is not in the file counts as a registered default.
        private func live(saved: [String: PropertyListValue]) throws -> [String: PropertyListValue] {
            try SuiteFormat.withDecimalPoint {
                let defaults = try suite.makeDefaults()
                if let name = suite.name {
                    return try Self.normalized(defaults.persistentDomain(forName: name) ?? [:], of: suite)
                }
                let registered = try Self.emptySuite.makeDefaults().dictionaryRepresentation()
                let objects = defaults.dictionaryRepresentation().filter { key, object in
                    guard saved[key] == nil, let other = registered[key] else { return true }
                    // A value that is not a property list cannot be compared; then neither of the two is one.
                    return (try? PropertyListValue(normalizing: object)) != (try? PropertyListValue(normalizing: other))
                }
                return try Self.normalized(objects, of: suite)
            }
        }

        /// A suite that is never written, which shows only registered defaults and launch arguments.
        private static let emptySuite = Suite("dev.molt.empty")
    }
#endif
