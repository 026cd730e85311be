internal import Foundation
internal import MoltCore

/// The files of a suite that is a store: the journal, which is there between a commit and its end, the lock, which stays,
/// and backups.
struct DefaultsStoreFiles {
    let suite: Suite

    init(_ suite: Suite) {
        self.suite = suite
    }

    /// Where the files are: beside the suite's own on Linux; elsewhere where the app, and those that share the suite
    /// with it, keep data that they cannot make again.
    var directory: URL {
        get throws(DefaultsError) {
            #if canImport(Darwin)
                let support: URL?
                if let name = suite.name,
                    let group = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name)
                {
                    support = group.appending(path: "Library/Application Support", directoryHint: .isDirectory)
                } else {
                    support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
                }
                guard let support else { throw failure("There is no directory for application support.") }
                return support.appending(path: "Molt", directoryHint: .isDirectory)
            #else
                return URL(fileURLWithPath: SuiteFile.home, isDirectory: true)
            #endif
        }
    }

    private func path(_ suffix: String) throws(DefaultsError) -> String {
        try directory.appending(path: suite.domainName + suffix).path
    }

    /// The file in which upgrades that begin are noted; nil where there can be none.
    var attempts: URL? {
        // A suite without a place for files is refused where its journal is to be written.
        (try? path(".molt-attempt")).map { URL(fileURLWithPath: $0) }
    }

    // MARK: The lock

    /// Waits until no other process upgrades the suite.
    func lock(waiting: () throws -> Void) throws -> FileLock {
        let directory = try directory
        do {
            try DurableDirectory.make(at: directory.path)
        } catch {
            throw failure("There can be no directory at \(directory.path).", error)
        }
        do {
            return try FileLock(path(".molt-lock"), waiting: waiting)
        } catch let error as DurableFile.Failure {
            throw failure("There can be no lock in \(directory.path): \(error.reason).", error)
        }
    }

    // MARK: The journal

    /// What a commit has promised and not all been done yet; nil when there is nothing.
    func journal() throws -> DefaultsJournal? {
        let path = try path(".molt-journal")
        do {
            guard let bytes = try DurableFile.read(path) else { return nil }
            return try JSONDecoder().decode(DefaultsJournal.self, from: bytes)
        } catch var error as DefaultsError {
            error.path = path
            throw error.of(suite: suite)
        } catch {
            var failure = DefaultsError(
                .unreadable,
                "The journal of an upgrade at \(path) cannot be read. Nothing was changed. Restore it from a backup; "
                    + "removing it would lose what the upgrade has still to do.",
                underlying: error
            )
            failure.suite = suite.domainName
            failure.path = path
            throw failure
        }
    }

    /// Writes the journal: the commit.
    func write(_ journal: DefaultsJournal) throws {
        let bytes = try Self.bytes(of: journal)
        let path = try path(".molt-journal")
        do {
            try DurableFile.replace(path, with: bytes, by: path + "-new")
        } catch {
            throw failure("The journal of the upgrade cannot be written to \(path): \(error.reason).", error)
        }
    }

    /// Whether there is just that journal.
    func hasJournal(_ journal: DefaultsJournal?) throws -> Bool {
        guard let journal else { return false }
        let bytes = try Self.bytes(of: journal)
        // What cannot be read is not known to be there.
        return (try? DurableFile.read(path(".molt-journal"))) == bytes
    }

    private static func bytes(of journal: DefaultsJournal) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(journal)
    }

    /// Removes the journal: all that it has promised was done.
    func removeJournal() throws {
        let path = try path(".molt-journal")
        do {
            try DurableFile.remove(path)
        } catch {
            throw failure("The journal of the upgrade cannot be removed from \(path): \(error.reason).", error)
        }
    }

    /// Removes the journal and the lock of a suite that nobody uses any more.
    func removeAll() {
        // Nobody is served by an error about files that nobody uses.
        let copies = (try? backups(BackupName.Kind.allCases)) ?? []
        for copy in copies { try? FileManager.default.removeItem(at: copy.url) }
        for suffix in [".molt-journal", ".molt-journal-new", ".molt-lock", ".molt-attempt"] {
            guard let path = try? path(suffix) else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    func failure(_ message: String, _ underlying: (any Error)? = nil) -> DefaultsError {
        var error = DefaultsError(.notWritable, message, underlying: underlying)
        error.suite = suite.domainName
        return error
    }
}
