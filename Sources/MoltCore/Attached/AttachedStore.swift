/// Something outside the primary store that steps change: a settings suite, a directory.
///
/// It has no part in the primary store's transaction, so a step never writes it. A step works on a
/// ``AttachedSession``, which looks and collects changes. Those go into the primary store's journal, in the
/// transaction that marks the migration applied; after the commit they are applied, and then forgotten. What a kill
/// leaves in the journal is applied when the primary store is next opened.
package protocol AttachedStore: Attachable {
    /// What a step works on.
    associatedtype Session: AttachedSession

    /// The name that journals, plans and errors know it by. It stays the same for ever; no two have the same.
    var attachedName: String { get }

    /// Why it cannot be worked on now, in a sentence; nil when it can.
    ///
    /// A migration that needs it is deferred then: it is not marked as applied, and a later opening tries again.
    ///
    /// - Throws: What is wrong with it, when that is no matter of time; the upgrade fails with it.
    func unavailability(_ circumstances: AttachedCircumstances) throws -> String?

    /// Begins the work of one upgrade: reads what is there, and writes nothing.
    func begin() throws -> Session

    /// Makes changes that a session has collected; making them again does nothing.
    ///
    /// The changes of an upgrade to several stores are applied in two phases: first everything is added to all of them,
    /// and then everything is removed, so that what moves from one to another is never in none. It returns when the
    /// changes are on disk and were read back.
    ///
    /// - Parameters:
    ///   - changes: What ``AttachedSession/finish()`` gave, perhaps in another process.
    ///   - phase: What to apply of it.
    func apply(_ changes: [UInt8], _ phase: AttachedPhase) throws

    /// Makes all of the changes, in one write where the store can; used when an upgrade changes no other store.
    ///
    /// Unless a store says otherwise, the two phases follow each other.
    func apply(_ changes: [UInt8]) throws

    /// Changes that bring it back to what it is now, from whatever it is when they are applied; nil when there are none.
    ///
    /// They are kept in a backup of the primary store, which so holds it, too.
    func changesBackToNow() throws -> [UInt8]?
}

extension AttachedStore {
    package var attachment: Attachment { Attachment(self) }

    /// Nothing stands in the way.
    package func unavailability(_ circumstances: AttachedCircumstances) throws -> String? {
        nil
    }

    /// Makes the changes in two phases.
    package func apply(_ changes: [UInt8]) throws {
        for phase in AttachedPhase.allCases { try apply(changes, phase) }
    }

    /// It has no part in backups.
    package func changesBackToNow() throws -> [UInt8]? {
        nil
    }
}

/// One upgrade's work on an ``AttachedStore``: what is there, with the changes that steps have made so far.
package protocol AttachedSession: AnyObject {
    /// How many things it has now, in the sense in which a store that has none is suspect.
    ///
    /// The ledger keeps it. See ``AttachedCircumstances/lastCount``.
    var count: Int { get }

    /// Throws what a step could not do and could not be told at once, as by a subscript; asked at the step's end.
    func check() throws

    /// Ends the session: every later call must throw an error with the code `contextExpired`.
    ///
    /// It is called once.
    ///
    /// - Returns: The changes, with all that is needed to make them again; nil when there are none.
    /// - Throws: What makes it certain that the changes could not be applied; the upgrade is rolled back then.
    func finish() throws -> [UInt8]?
}

extension AttachedSession {
    /// There is nothing that was not told at once.
    package func check() throws {}
}

/// What is applied of the changes to an ``AttachedStore``.
package enum AttachedPhase: Hashable, Sendable, CaseIterable {
    /// What is added or replaced.
    case add
    /// What is removed.
    case remove
}

/// What can be known when an ``AttachedStore`` is asked whether it can be worked on.
package struct AttachedCircumstances: Hashable, Sendable {
    /// Who opens the primary store.
    package var role: MigrationRole
    /// How many things the store had after the last migration that worked on it; nil when there was none.
    ///
    /// A store that has nothing now, though it had something, most probably cannot be seen: settings read as empty
    /// until a device was unlocked for the first time.
    package var lastCount: Int?

    /// Creates circumstances.
    package init(role: MigrationRole, lastCount: Int? = nil) {
        self.role = role
        self.lastCount = lastCount
    }
}
