internal import Foundation

/// What this device remembers of a suite: its ledger as Molt wrote it last, in a file of its own.
///
/// Settings do not belong to the app alone: users delete domains, libraries copy all keys between devices, and a
/// group's container is not always restored. What such a suite holds was written by apps of the version that is
/// remembered.
struct SuiteMemory {
    private let suite: Suite

    init(of suite: Suite) {
        self.suite = suite
    }

    /// The ledger; nil if there is none, or if it cannot be read now.
    ///
    /// - Throws: ``MoltError`` with the code `newerFormat`.
    func ledger() throws -> SuiteLedger? { try compared(with: nil).ledger }

    /// The ledger that the suite has, if it is also the remembered one; nil if all values must be read to tell.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite`, `unreadable` or `noPermission`.
    func confirmedLedger() throws -> SuiteLedger? {
        guard suite.content == nil else { return nil }
        try suite.validate()
        guard let stored = try suite.savedValue(forKey: Suite.ledgerKey), try compared(with: stored).isStored else {
            return nil
        }
        // The error for a ledger that cannot be read depends on the other values.
        return try? SuiteLedger(in: [Suite.ledgerKey: stored], of: suite)
    }

    /// Compares the ledger with the stored one.
    ///
    /// - Returns: Whether they are the same; if not, the ledger that is remembered.
    /// - Throws: ``MoltError`` with the code `newerFormat`.
    func compared(with stored: PropertyListValue?) throws -> (isStored: Bool, ledger: SuiteLedger?) {
        // Without a place for the file, there is nothing to be remembered.
        guard let path else { return (true, nil) }
        guard let bytes = try? DurableFile.read(path) else { return (false, nil) }
        if let text = stored?.string, bytes.elementsEqual(text.utf8) { return (true, nil) }
        do {
            return try (false, JSONDecoder().decode(SuiteLedger.self, fromStored: bytes))
        } catch let error as MoltError where error.code == .newerFormat {
            throw error.of(suite: suite)
        } catch {
            // A damaged file is ignored.
            return (false, nil)
        }
    }

    /// Remembers the ledger that a suite has now, as it is stored; nil if it was put back to before its first
    /// migration.
    ///
    /// The caller has the suite's lock. A failure must not fail an upgrade whose changes are made; the next opening
    /// tries again.
    func remember(_ ledger: PropertyListValue?) {
        guard let path else { return }
        do {
            let stored = try ledger ?? (self.ledger()?.emptied ?? SuiteLedger()).stored()
            let bytes = Data((stored.string ?? "").utf8)
            guard try DurableFile.read(path) != bytes else { return }
            try DurableFile.makeDirectory(at: (path as NSString).deletingLastPathComponent)
            PartFile.removeLeftover(path + Self.partSuffix)
            let part = try PartFile(path + Self.partSuffix)
            try part.write(bytes)
            try part.replace(path)
        } catch {
            DebugWarning.print("the ledger of \(suite) cannot be remembered: \(error)")
        }
    }

    /// The path of the file; nil if there is no directory for it, and for the settings of an import.
    private var path: String? {
        guard suite.content == nil else { return nil }
        return suite.filesDirectory?.appending(path: suite.domainName + Self.suffix, directoryHint: .notDirectory).path
    }

    /// What the name of the file has after that of the domain.
    static let suffix = ".molt-ledger"
    private static let partSuffix = "-part"
}
