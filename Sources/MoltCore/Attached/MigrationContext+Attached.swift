extension MigrationContext {
    /// What a step works on outside the primary store: what is there, and the changes that steps have made so far.
    ///
    /// All steps of an upgrade share one session on a store, so each sees what those before it have done. The changes
    /// are made after the upgrade was committed, and never when it is rolled back.
    ///
    /// - Throws: ``MigrationError`` with the code `notAttached` when neither a step nor the opening names the store,
    ///   `deferred` when it cannot be worked on now, or what the store throws.
    public func attached<Store: AttachedStore>(_ store: Store) throws -> Store.Session {
        let isDeclared = migration.steps[step.number].attached.contains { $0.attachedName == store.attachedName }
        let session = try perform { _ in try attachments.session(store, isDeclared: isDeclared) }
        usedAttachments.insert(store.attachedName)
        return session
    }

    /// Tells the report what became of one key.
    public func note(_ outcome: KeyOutcome) {
        keys.append(outcome)
    }
}
