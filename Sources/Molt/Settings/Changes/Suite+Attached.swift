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
            do {
                return try SuiteDomain(self).read().keys.allSatisfy(Self.ownKeys.contains)
            } catch let error as MoltError where error.code == .unreadable {
                // A damaged suite is no reason to wait; the work on it reports the damage or restores it.
                return false
            }
        }
    }

    package func begin() throws -> SuiteChanges {
        try validate()
        return try SuiteChanges(self)
    }

    /// Makes the changes of one phase and reads them back.
    package func apply(_ changes: [UInt8], _ phase: AttachedPhase) throws {
        let intent = try SuiteIntent(changes)
        switch phase {
        case .add: try apply(intent) { SuiteEdit(values: $0.additions(to: $1)) }
        case .remove:
            try apply(intent.withoutRemovalsOfLostValues(of: self)) { SuiteEdit(removed: $0.removals(from: $1)) }
        }
    }

    /// Makes all changes together and reads them back.
    package func apply(_ changes: [UInt8]) throws {
        try apply(SuiteIntent(changes).withoutRemovalsOfLostValues(of: self)) { $0.changes(to: $1) }
    }

    private func apply(
        _ intent: SuiteIntent,
        _ makeEdit: (SuiteIntent, [String: PropertyListValue]) -> SuiteEdit
    ) throws {
        try SuiteDomain(self).change(restoring: intent.snapshot) { makeEdit(intent, $0) }
    }

    /// The whole domain as changes, including values under reserved keys.
    package func changesRestoringCurrentState() throws -> [UInt8]? {
        try SuiteIntent(replacingBy: SuiteDomain(self).read()).encoded()
    }
}

extension MigrationContext {
    /// The settings of a suite during an upgrade; changes are written after the commit.
    ///
    /// - Throws: `MoltError` with the code `notAttached` if neither the step's `attaching` nor the opening names
    ///   the suite, or `deferred` if it cannot be read now; ``MoltError`` if it cannot be read at all.
    public func suite(_ suite: Suite) throws -> SuiteChanges {
        try attached(suite)
    }
}
