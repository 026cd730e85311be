/// Which process must upgrade a store that needs it.
public enum UpgradeDuty: Hashable, Sendable {
    /// The process that opens it.
    case opener
    /// Another process, for example the app when its widget or extension opens the store.
    ///
    /// The opening waits for that process and then fails with the code `needsMigration`; by default it fails at once.
    /// The other process must also create a store that does not exist yet.
    case others(waiting: Duration = .zero)
}
