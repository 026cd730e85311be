/// Something outside the primary store that steps change, such as a settings suite or a directory.
///
/// It is not part of the primary store's transaction, so steps never write to it directly. A step works on an
/// ``AttachedSession``, which reads and collects changes. The transaction that marks the migration applied also adds
/// those changes to the primary store's journal. They are applied after the commit, and then removed from the journal.
/// If a kill interrupts this, they are applied when the primary store is next opened.
package protocol AttachedStore: Attachable {
    associatedtype Session: AttachedSession

    /// The unique name that identifies it in journals, plans and errors; it never changes.
    var attachedName: String { get }

    /// The reason why it cannot be used now, in a sentence, or nil.
    ///
    /// A migration that needs it is then deferred: it is not marked as applied, and a later opening tries again.
    ///
    /// - Throws: A permanent fault; the upgrade fails with it.
    func unavailability(_ circumstances: AttachedCircumstances) throws -> String?

    /// Begins the work of one upgrade: reads the current state, and writes nothing.
    func begin() throws -> Session

    /// Applies changes that a session has collected; applying them again has no effect.
    ///
    /// An upgrade applies its changes to several stores in two phases: it first adds everything to all of them, and
    /// then removes everything, so data that moves between stores is always in at least one. The method returns when
    /// the changes are on disk and were read back.
    ///
    /// - Parameters:
    ///   - changes: The result of ``AttachedSession/finish()``, possibly from another process.
    ///   - phase: The part of the changes to apply.
    func apply(_ changes: [UInt8], _ phase: AttachedPhase) throws

    /// Applies all changes in one write if possible, by default in two; used when no other attached store changes.
    func apply(_ changes: [UInt8]) throws

    /// Changes that restore its current state from any other state; nil when there are none.
    ///
    /// A backup of the primary store contains them, and so covers the attached store too.
    func changesRestoringCurrentState() throws -> [UInt8]?
}

extension AttachedStore {
    package var attachment: Attachment { Attachment(self) }

    package func unavailability(_ circumstances: AttachedCircumstances) throws -> String? {
        nil
    }

    package func apply(_ changes: [UInt8]) throws {
        for phase in AttachedPhase.allCases { try apply(changes, phase) }
    }

    package func changesRestoringCurrentState() throws -> [UInt8]? {
        nil
    }
}

/// One upgrade's work on an ``AttachedStore``: its data with the changes of the steps so far.
package protocol AttachedSession: AnyObject {
    /// The number of entries, for the ledger; a drop to zero is suspect: see ``AttachedCircumstances/lastCount``.
    var count: Int { get }

    /// Throws an error that could not be thrown when it occurred, as in a subscript; called at the step's end.
    func check() throws

    /// The entries that steps have changed since the last call, with their values, for the samples of a dry run.
    func samples(limit: Int) -> [RecordSample]

    /// Ends the session; every later call must throw an error with the code `contextExpired`.
    ///
    /// It is called once.
    ///
    /// - Returns: The changes, with everything needed to apply them again; nil when there are none.
    /// - Throws: An error if the changes can certainly not be applied; the upgrade is then rolled back.
    func finish() throws -> [UInt8]?
}

extension AttachedSession {
    package func check() throws {}

    package func samples(limit: Int) -> [RecordSample] { [] }
}

/// A phase in which changes to an ``AttachedStore`` are applied.
package enum AttachedPhase: Hashable, Sendable, CaseIterable {
    /// Additions and replacements.
    case add
    /// Removals.
    case remove
}

/// The circumstances in which an ``AttachedStore`` is checked for availability.
package struct AttachedCircumstances: Hashable, Sendable {
    /// The role of the process that opens the primary store.
    package var role: MigrationOptions.Role
    /// The number of entries after the last migration that worked on the store; nil when there was none.
    ///
    /// An empty store that once had entries is probably invisible: settings read as empty until a device has first been
    /// unlocked.
    package var lastCount: Int?

    package init(role: MigrationOptions.Role, lastCount: Int? = nil) {
        self.role = role
        self.lastCount = lastCount
    }
}

/// An attached store in a directory that a test can copy.
package protocol DirectoryAttachedStore: AttachedStore {
    var path: String { get }

    /// The store of the same name with another directory; an opening prefers it to the registry's store.
    func standIn(at path: String) -> Self
}

/// Changes to one attached store that are to be applied after the commit.
package struct JournalEntry: Hashable, Sendable {
    /// The ``AttachedStore/attachedName`` of the store.
    package var store: String
    /// The changes in a form that only the attached store can read.
    package var changes: [UInt8]

    package init(store: String, changes: [UInt8]) {
        self.store = store
        self.changes = changes
    }
}
