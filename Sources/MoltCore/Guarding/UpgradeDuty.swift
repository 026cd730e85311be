/// Who is to upgrade a store that needs it.
public enum UpgradeDuty: Hashable, Sendable {
    /// Who opens it.
    case opener
    /// Somebody else, as the app when its widget or extension opens the store.
    ///
    /// The opening waits so long for it, and fails with the code `needsMigration` then; at once, by default. A store that
    /// is not there yet must be made by somebody else, too.
    case others(waiting: Duration = .zero)
}
