package import Foundation

/// Molt's files about a suite: the lock of its upgrades and, without a cache, the store with the journal.
package struct SuiteFiles {
    private let suite: Suite

    package init(_ suite: Suite) {
        self.suite = suite
    }

    /// The directory of the files, shared by all apps that share the suite.
    private func directory() throws(MoltError) -> URL {
        guard let directory = suite.filesDirectory else {
            throw failure("There is no directory for application support.")
        }
        return directory
    }

    /// The file of a store for the suite alone; it exists while an upgrade of the suite is unfinished, or while
    /// something waits to be handed over.
    package var store: URL {
        get throws(MoltError) {
            try directory().appending(path: suite.domainName + ".molt", directoryHint: .notDirectory)
        }
    }

    /// The file with what is remembered of the suite.
    package var memory: URL {
        get throws(MoltError) { try directory().appending(path: suite.domainName + SuiteMemory.suffix) }
    }

    fileprivate func lock(waiting: () throws -> Void) throws -> FileLock {
        let directory = try directory()
        do {
            try DurableFile.makeDirectory(at: directory.path)
            return try FileLock(directory.appending(path: suite.domainName + ".molt-lock").path, waiting: waiting)
        } catch let error as DurableFile.Failure {
            throw failure("No lock file can be created in \(directory.path): \(error.reason).", error)
        }
    }

    /// Removes all files about a suite that is no longer used.
    func removeAll() {
        // Errors are ignored, because nothing uses these files.
        guard let store = try? store else { return }
        let copies = (try? StoreFiles(store.path).backups(BackupName.Kind.allCases)) ?? []
        let files =
            (["", "-attempt", "-work", "-work-attempt", "-lock", "-ledger", "-ledger-part"] + StoreFiles.suffixes).map {
                URL(fileURLWithPath: store.path + $0)
            }
        let unreadable = SettingsQuarantine.suffixes.map {
            store.deletingLastPathComponent().appending(path: suite.domainName + $0, directoryHint: .notDirectory)
        }
        for url in copies.map(\.url) + files + unreadable { try? FileManager.default.removeItem(at: url) }
    }

    fileprivate func failure(_ message: String, _ underlying: (any Error)? = nil) -> MoltError {
        MoltError(.suiteNotWritable, message, underlying: underlying).of(suite: suite)
    }
}

/// The lock that an upgrade has on a suite, so that stores that share the suite change it one after the other.
final class SuiteLock: Sendable {
    let suite: Suite
    private let lock: FileLock

    private init(_ suite: Suite, waiting: () throws -> Void) throws {
        self.suite = suite
        lock = try SuiteFiles(suite).lock(waiting: waiting)
    }

    /// Locks some suites, each once.
    ///
    /// - Parameter waiting: Called repeatedly while another upgrade has a suite's lock; throws to give up.
    static func all(of suites: [Suite], waiting: (Suite) throws -> Void) throws -> [SuiteLock] {
        let byDomain = Dictionary(firstOf: suites.map { ($0.domainName, $0) })
        // In one order everywhere, so that two upgrades never wait for each other.
        return try byDomain.sortedByKey.map { _, suite in try SuiteLock(suite) { try waiting(suite) } }
    }

    // MARK: Claims

    /// The path of the store that has claimed the suite and not ended the claim, as after a kill; nil for none.
    var claimant: String? {
        get throws(MoltError) { try reporting { () throws(DurableFile.Failure) in try lock.note } }
    }

    /// Notes, before a commit, that a store is about to commit changes to the suite that nobody may overtake.
    ///
    /// If its process is killed before they are made, the next holder of the lock makes them first.
    func claim(for store: String) throws(MoltError) {
        try reporting { () throws(DurableFile.Failure) in try lock.write(note: store) }
    }

    func endClaim() {
        lock.removeNote()
    }

    private func reporting<Value>(_ body: () throws(DurableFile.Failure) -> Value) throws(MoltError) -> Value {
        do throws(DurableFile.Failure) {
            return try body()
        } catch {
            throw SuiteFiles(suite).failure("The lock file of \(suite) cannot be used: \(error.reason).", error)
        }
    }
}

extension StoreFile {
    /// Creates a store for a suite that is upgraded without a cache.
    ///
    /// - Parameter attached: Other suites that blocks use but steps do not name.
    convenience init(upgrading suite: Suite, attaching attached: [Suite] = []) throws {
        try self.init(upgrading: suite, at: SuiteFiles(suite).store, attaching: attached)
    }
}
