public import MoltCore

extension Suite: AttachedStore {
    /// What Molt works with.
    public var attachment: Attachment { Attachment(self) }

    /// An app extension has standard settings of its own, and settings cannot be read on a locked device.
    package func unavailability(_ circumstances: AttachedCircumstances) throws -> String? {
        try validate()
        if circumstances.role == .appExtension, !isAppGroup {
            return "An app extension cannot see the app's settings in \(self); the app itself must open the store."
        }
        if let reason = try closedReason() { return reason }
        guard let lastCount = circumstances.lastCount, lastCount > 0, try isEmpty else { return nil }
        return "The settings in \(self) read as empty, though there were \(lastCount): a device that was not unlocked "
            + "since it was started reads so."
    }

    /// Whether there is no setting; what Molt keeps for itself is none.
    private var isEmpty: Bool {
        get throws {
            let domain = SuiteDomain(self)
            // What the app has set and not saved counts too, where nothing else is there.
            return try domain.readSaved().keys.allSatisfy(Self.ownKeys.contains)
                && domain.read().keys.allSatisfy(Self.ownKeys.contains)
        }
    }

    /// Reads the whole domain.
    package func begin() throws -> SuiteChanges {
        try validate()
        return try SuiteChanges(self)
    }

    /// Writes the changes of one phase, and reads them back.
    package func apply(_ changes: [UInt8], _ phase: AttachedPhase) throws {
        let (intent, domain) = (try SuiteIntent(changes), SuiteDomain(self))
        switch phase {
        case .add:
            try domain.changeContent(settingAsideDamage: true) { SuiteEdit(values: intent.additions(to: $0)) }
        case .remove:
            try domain.change(settingAsideDamage: false) { SuiteEdit(removed: intent.removals(from: $0)) }
        }
    }

    /// Writes all changes at once, so that nobody sees a part of them, and reads them back.
    package func apply(_ changes: [UInt8]) throws {
        let intent = try SuiteIntent(changes)
        try SuiteDomain(self).changeContent(settingAsideDamage: true) { intent.changes(to: $0) }
    }

    /// The whole domain, what is Molt's own included.
    package func changesBackToNow() throws -> [UInt8]? {
        try SuiteIntent(replacingBy: SuiteDomain(self).read()).encoded()
    }
}

extension MigrationContext {
    /// A suite, to read and change its settings; what is changed is written after the upgrade was committed.
    ///
    /// - Throws: `MigrationError` with the code `notAttached` when neither the step's `attaching` nor the opening names
    ///   the suite, or `deferred` when it cannot be read now; ``DefaultsError`` when it cannot be read at all.
    public func suite(_ suite: Suite) throws -> SuiteChanges {
        try attached(suite)
    }
}
