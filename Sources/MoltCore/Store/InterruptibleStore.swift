/// A store whose statements can be stopped when the time is over.
package protocol InterruptibleStore: MigrationStore {
    /// When an upgrade's statements are stopped; nil for never.
    var deadline: ContinuousClock.Instant? { get set }
}
