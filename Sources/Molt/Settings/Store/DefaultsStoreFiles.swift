internal import Foundation

/// The files of a suite that is a store: the journal between a commit and its completion, the lock file, and backups.
struct DefaultsStoreFiles {
    let suite: Suite

    init(_ suite: Suite) {
        self.suite = suite
    }

    /// The directory of the files, shared by all apps that share the suite.
    var directory: URL {
        get throws(MoltError) {
            guard let directory = suite.filesDirectory else {
                throw failure("There is no directory for application support.")
            }
            return directory
        }
    }

    private func path(_ suffix: String) throws(MoltError) -> String {
        try directory.appending(path: suite.domainName + suffix).path
    }

    /// The file that records started upgrades; nil if the suite has no directory for files.
    var attempts: URL? {
        // Writing the journal reports the missing directory.
        (try? path(".molt-attempt")).map { URL(fileURLWithPath: $0) }
    }

    // MARK: The lock

    /// Waits until no other process is upgrading the suite.
    func lock(waiting: () throws -> Void) throws -> FileLock {
        let directory = try directory
        do {
            try DurableDirectory.make(at: directory.path)
        } catch {
            throw failure("The directory \(directory.path) cannot be created.", error)
        }
        do {
            return try FileLock(path(".molt-lock"), waiting: waiting)
        } catch let error as DurableFile.Failure {
            throw failure("No lock file can be created in \(directory.path): \(error.reason).", error)
        }
    }

    // MARK: The journal

    /// The journal of a committed upgrade whose changes are not all applied; nil if there is none.
    func journal() throws -> DefaultsJournal? {
        let path = try path(".molt-journal")
        do {
            guard let bytes = try DurableFile.read(path) else { return nil }
            return try JSONDecoder().decode(DefaultsJournal.self, fromStored: bytes)
        } catch let error as MoltError {
            throw error.of(suite: suite)
        } catch {
            var failure = MoltError(
                .unreadable,
                "The journal of an upgrade at \(path) cannot be read. Nothing was changed. Restore it from a backup; "
                    + "removing it would lose what the upgrade has still to do.",
                underlying: error
            )
            failure.store = suite.domainName
            throw failure
        }
    }

    /// Writes the journal, which is the commit.
    func write(_ journal: DefaultsJournal) throws {
        let bytes = try Self.bytes(of: journal)
        let path = try path(".molt-journal")
        do {
            try DurableFile.replace(path, with: bytes, by: path + "-new")
        } catch {
            throw failure("The journal of the upgrade cannot be written to \(path): \(error.reason).", error)
        }
    }

    func hasJournal(_ journal: DefaultsJournal?) throws -> Bool {
        guard let journal else { return false }
        let bytes = try Self.bytes(of: journal)
        // An unreadable file does not count as this journal.
        return (try? DurableFile.read(path(".molt-journal"))) == bytes
    }

    private static func bytes(of journal: DefaultsJournal) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(journal)
    }

    func removeJournal() throws {
        let path = try path(".molt-journal")
        do {
            try DurableFile.remove(path)
        } catch {
            throw failure("The journal of the upgrade cannot be removed from \(path): \(error.reason).", error)
        }
    }

    /// Removes all files of a suite that is no longer used.
    func removeAll() {
        // Errors are ignored, because nothing uses these files.
        let copies = (try? backups(BackupName.Kind.allCases)) ?? []
        for copy in copies { try? FileManager.default.removeItem(at: copy.url) }
        for suffix in [".molt-journal", ".molt-journal-new", ".molt-lock", ".molt-attempt"] {
            guard let path = try? path(suffix) else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    func failure(_ message: String, _ underlying: (any Error)? = nil) -> MoltError {
        var error = MoltError(.notWritable, message, underlying: underlying)
        error.store = suite.domainName
        return error
    }
}
