extension Suite {
    /// Why the suite is unavailable: an app extension cannot see the app's own settings, or the device is locked.
    ///
    /// - Parameter lastCount: The number of settings after the last migration that worked on the suite; nil if there was
    ///   none.
    func unavailability(in role: MoltConfiguration.Role, lastCount: Int?) throws -> String? {
        try validate()
        if role == .appExtension, !isAppGroup {
            return "An app extension cannot see the app's settings in \(self); the app itself must open the store."
        }
        if let reason = try closedReason() { return reason }
        guard let lastCount, lastCount > 0, try isEmpty else { return nil }
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

    /// Makes the changes of one phase of a patch, or of both, and reads them back.
    func apply(_ patch: SuitePatch, _ phase: SuitePatch.Phase?) throws {
        let patch = phase == .add ? patch : try patch.withoutRemovalsOfLostValues(of: self)
        try SuiteDomain(self).change(restoring: patch.snapshot) { try patch.edit(of: self, phase, $0) }
    }

    /// The patch that restores the suite's current state, including values under reserved keys.
    func patchRestoringCurrentState() throws -> JournalEntry {
        JournalEntry(store: attachedName, changes: try SuitePatch(replacingBy: SuiteDomain(self).read()).encoded())
    }
}
