#if !canImport(Darwin)
    internal import Foundation
    internal import Synchronization

    /// A suite's domain on Linux: a property list in a file that `UserDefaults` keeps a copy of in memory.
    ///
    /// What is seen with Swift 6.3, and why it is done as it is done here:
    /// - What the app sets stays in memory until `synchronize()`, which reads the file again, puts the unsaved values
    ///   over it, and writes it by cutting it to nothing first. A kill then leaves an empty file. With nothing unsaved
    ///   it only forgets its copy. So the library writes nothing for us; where the app has values unsaved, a copy of
    ///   the file is kept beside it until they are written.
    /// - A file that cannot be read counts as empty, and is overwritten. So `synchronize()` is never called before the
    ///   file was read.
    /// - A key that the app has set and then given back what the file has counts as unsaved, though nobody can see that.
    ///   `synchronize()` reads the file and puts the key's value over it, whatever the file has by then. So it is called
    ///   before a file is replaced, and with the new content beside it, as a copy. Once for each change: what is set after
    ///   that is put over the new file, and over a key that was changed only where the app has set that one meanwhile.
    /// - A file that is replaced is seen after `synchronize()`.
    /// - `synchronize()` of one suite saves what is unsaved in all of the process. The library below it saves one suite
    ///   alone, and is asked to where it is found (``CoreFoundationCalls``). Elsewhere the other suites that this process
    ///   has used through Molt, and the app's own settings, are kept copies of in the same way, where something unsaved
    ///   can be seen; a suite in which something was set and taken back, and any further one, is saved without a copy, as
    ///   the app's own `synchronize()` would save it.
    ///
    /// What is cheapest, and why. `UserDefaults.set` looks for its key in the array of all keys that were set and not yet
    /// saved, so that setting n keys takes n²/2 comparisons, and `setPersistentDomain` does that twice: 10 000 keys take 3
    /// to 12 seconds of the processor. Nothing of that is needed: the file may be replaced behind the library's back, which
    /// reads it again after a `synchronize()` with nothing to save. So all changes of one call cost, whatever their number:
    /// the file read once, and written and synced once; twice the library's own reading of it, which comes with asking it
    /// what the app has unsaved, and with making sure that it sees what was written. By hand, with Foundation's property
    /// lists, reading and writing 10 000 keys takes 0.3 seconds, most of it for the objects that it makes of each value.
    /// ``XMLPropertyListReader``, ``XMLPropertyListWriter`` and ``SuiteLibrary`` make none: 0.1 seconds, half of it the
    /// library's own reading.
    struct SuiteStorage {
        private let suite: Suite
        private let file: SuiteFile

        /// - Parameter isReplaced: Whether the file has the changes of this call already, and errors are to say so.
        init(_ suite: Suite, isReplaced: Bool = false) {
            self.suite = suite
            file = SuiteFile(suite, isReplaced: isReplaced)
        }

        /// Everything in the domain.
        func read() throws(DefaultsError) -> [String: PropertyListValue] {
            try file.locked { () throws(DefaultsError) in try flushed() }
        }

        /// What is in the file; one that is no property list is moved aside, and counts as empty.
        private func flushedSettingAsideDamage() throws(DefaultsError) -> [String: PropertyListValue] {
            do {
                return try flushed()
            } catch {
                guard error.code == .unreadable else { throw error }
                try file.setAsideDamage()
                return try flushed()
            }
        }

        /// One value as the app sees it, for the price of a look at the file's status in most cases.
        func liveValue(forKey key: String) throws(DefaultsError) -> PropertyListValue? {
            let saved = try SuiteFileCache.shared.values(of: file)
            guard let object = try suite.makeDefaults().object(forKey: key) else { return nil }
            // What is no property list cannot be what was saved.
            let seen = try? PropertyListValue(normalizing: object)
            if let seen, saved[key] == seen.asStored() { return seen }
            // Registered defaults and launch arguments are seen in a suite that has nothing too.
            if let other = try Self.emptySuite.makeDefaults().object(forKey: key),
                seen == (try? PropertyListValue(normalizing: other))
            {
                return saved[key]
            }
            return try read()[key]
        }

        /// Replaces the file by one with the changes that follow from what is in it, and has the library read it.
        ///
        /// - Returns: Whether there were changes to make.
        func change(
            settingAsideDamage setsAside: Bool,
            _ edit: ([String: PropertyListValue]) throws(DefaultsError) -> SuiteEdit
        ) throws(DefaultsError) -> Bool {
            if !file.hasDirectory {
                // The lock is one on the directory, which is not made for nothing; nor by the library, which would not see
                // to it that its name is on disk.
                let isNeeded = try file.locked { () throws(DefaultsError) in try !edit(live(saved: [:])).isEmpty }
                guard isNeeded else { return false }
                try file.makeDirectory()
            }
            return try file.locked { () throws(DefaultsError) in
                var saved = try setsAside ? flushedSettingAsideDamage() : flushed()
                guard let first = try write(edit, over: &saved) else { return false }
                try SuiteStorage(suite, isReplaced: true).settle(first, edit, &saved)
                return true
            }
        }

        /// Has the app see what the file was replaced by.
        private func settle(
            _ first: SuiteEdit,
            _ edit: ([String: PropertyListValue]) throws(DefaultsError) -> SuiteEdit,
            _ saved: inout [String: PropertyListValue]
        ) throws(DefaultsError) {
            do throws(DefaultsError) {
                let different = try differences(saved, first)
                guard !different.isEmpty else { return }
                // The app has set it meanwhile, in another thread. Once more, and what it has set is for the edit to judge.
                saved = try flushed()
                let again = { values throws(DefaultsError) in try edit(values).restricted(to: Set(different)) }
                guard let second = try write(again, over: &saved) else { return }
                let left = try differences(saved, second)
                if !left.isEmpty { throw SuiteDomain.failure(differing: left, of: suite) }
            } catch {
                var error = error
                error.isAfterReplacing = true
                throw error
            }
        }

        /// Replaces the file, after the library has let go of what it has.
        ///
        /// - Parameter saved: What is in the file, and then, what was written.
        /// - Returns: The changes; nil when there are none to make.
        private func write(
            _ edit: ([String: PropertyListValue]) throws(DefaultsError) -> SuiteEdit,
            over saved: inout [String: PropertyListValue]
        ) throws(DefaultsError) -> SuiteEdit? {
            for round in 0..<Self.longestRace {
                var edit = try edit(saved)
                guard !edit.isEmpty else { return nil }
                edit.values = PropertyListValue.asStored(edit.values)
                let all = edit.applied(to: saved)
                try check(all)
                let known = saved
                let isReplaced = try file.replace(with: all, known: known) { () throws(DefaultsError) in
                    // Once: an app that does not stop setting another key would have something new saved in each round.
                    if round == 0 { try synchronize() }
                    // One that was cut off, and stays so, is replaced by what follows from what was known of it.
                    guard let found = try file.settled(known: known) else { return true }
                    saved = found
                    // Otherwise the app has set something since the file was read, and now it is in there.
                    return saved == known
                }
                if isReplaced {
                    saved = all
                    return edit
                }
            }
            throw DefaultsError(
                .readBackFailed,
                "The suite's file did not stop changing while it was to be written. Try again."
            ).of(suite: suite)
        }

        /// How often a change is begun again because the file has become another meanwhile.
        private static let longestRace = 20

        /// The keys that the app sees otherwise than they were written.
        private func differences(
            _ written: [String: PropertyListValue],
            _ edit: SuiteEdit
        ) throws(DefaultsError) -> [String] {
            // Through the library, which has to read the file again. It has not let go of what it had to save before.
            if isSeen(written) { return [] }
            try file.withCopy { () throws(DefaultsError) in try synchronize() }
            return SuiteDomain.differences(try live(saved: written), edit)
        }

        /// Checks the file and its directory.
        func checkWritable() throws(DefaultsError) {
            try file.checkWritable()
        }

        /// Writes what the app has set and not yet saved.
        func flush() throws(DefaultsError) {
            _ = try read()
        }

        /// What is in the file, after what the app has set was written to it.
        private func flushed() throws(DefaultsError) -> [String: PropertyListValue] {
            Self.noteUse(of: suite)
            let saved = try file.read()
            // What is not alike is unsaved, or written by another process since the library read the file. Only the
            // library knows which, and puts one over the other rightly.
            if isSeen(saved) { return saved }
            try file.withCopy { () throws(DefaultsError) in try synchronize() }
            return try file.read()
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

        /// Has the library save what is unsaved, and read the file again.
        private func synchronize() throws(DefaultsError) {
            if let isDone = SuiteLibrary.synchronize(suite) {
                guard isDone else { throw notSaved }
                return
            }
            // That saves other suites, too: copies of their files are kept beside them.
            let used = Self.used.withLock { $0.filter { $0 != .standard } + [.standard] }
            let others = used.filter { !$0.isSameDomain(as: suite) }.map { SuiteStorage($0) }
            // A file that cannot be put back now is not copied either, and its copy stays.
            for other in others { try? other.file.recover() }
            try synchronize(copying: others.filter(\.hasUnsaved).map(\.file)[...])
        }

        private func synchronize(copying files: ArraySlice<SuiteFile>) throws(DefaultsError) {
            if let file = files.first {
                return try file.withCopy { () throws(DefaultsError) in try synchronize(copying: files.dropFirst()) }
            }
            guard try suite.makeDefaults().synchronize() else { throw notSaved }
        }

        private var notSaved: DefaultsError {
            file.failure(.notWritable, "What the app has set could not be saved to \(file.path).")
        }

        private var hasUnsaved: Bool {
            // A suite that cannot be read is not the one that is written, and fares as with the app's own
            // `synchronize()`.
            guard let saved = try? file.read(isKept: false), !SuiteLibrary.has(saved, in: suite),
                let live = try? live(saved: saved)
            else { return false }
            return live != saved
        }

        /// Whether the library sees just that.
        private func isSeen(_ saved: [String: PropertyListValue]) -> Bool {
            if SuiteLibrary.has(saved, in: suite) { return true }
            // What cannot be read is not the same.
            guard let live = try? live(saved: saved) else { return false }
            return live == saved
        }

        /// A domain of that one key alone would be read back as something else.
        private func check(_ values: [String: PropertyListValue]) throws(DefaultsError) {
            if let fault = SuiteFormat.fault(ofDictionary: values) {
                throw DefaultsError(.cannotStore, fault).of(suite: suite)
            }
        }

        /// What the app sees in the domain, what it has not saved included.
        ///
        /// For the app's own settings the library tells only together with the registered defaults; what is as it is
        /// registered, and not in the file, is taken for no more than that.
        private func live(saved: [String: PropertyListValue]) throws(DefaultsError) -> [String: PropertyListValue] {
            if let values = SuiteLibrary.values(of: suite) { return values }
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

        /// A suite that nobody writes, in which only registered defaults and launch arguments are seen.
        private static let emptySuite = Suite.suite("dev.molt.empty")
    }
#endif
