public import MoltCore

extension Suite: AttachedStore {
    /// The suite in the form that Molt works with.
    public var attachment: Attachment { Attachment(self) }

    /// Why the suite is unavailable: an app extension cannot see the app's own settings, or the device is locked.
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

    /// Whether the suite has no settings, apart from values under reserved keys.
    private var isEmpty: Bool {
        get throws {
            let domain = SuiteDomain(self)
            // Unsaved values of the app count too if nothing is saved.
            return try domain.readSaved().keys.allSatisfy(Self.ownKeys.contains)
                && domain.read().keys.allSatisfy(Self.ownKeys.contains)
        }
    }

    package func begin() throws -> SuiteChanges {
        try validate()
        return try SuiteChanges(self)
    }

    /// Writes the changes of one phase and reads them back.
    package func apply(_ changes: [UInt8], _ phase: AttachedPhase) throws {
        let (intent, domain) = (try SuiteIntent(changes), SuiteDomain(self))
        switch phase {
        case .add:
            try domain.change(settingAsideDamage: true) { SuiteEdit(values: intent.additions(to: $0)) }
        case .remove:
            try domain.change(settingAsideDamage: false) { SuiteEdit(removed: intent.removals(from: $0.values)) }
        }
    }

    /// Writes all changes atomically and reads them back.
    package func apply(_ changes: [UInt8]) throws {
        let intent = try SuiteIntent(changes)
        try SuiteDomain(self).change(settingAsideDamage: true) { intent.changes(to: $0) }
    }

    /// The whole domain as changes, including values under reserved keys.
    package func changesRestoringCurrentState() throws -> [UInt8]? {
        try SuiteIntent(replacingBy: SuiteDomain(self).read()).encoded()
    }
}

extension MigrationContext {
    /// The settings of a suite during an upgrade; changes are written after the commit.
    ///
    /// - Throws: `MigrationError` with the code `notAttached` if neither the step's `attaching` nor the opening names
    ///   the suite, or `deferred` if it cannot be read now; ``DefaultsError`` if it cannot be read at all.
    public func suite(_ suite: Suite) throws -> SuiteChanges {
        try attached(suite)
    }
}
