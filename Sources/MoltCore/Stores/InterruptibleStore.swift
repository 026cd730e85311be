/// A store in a file: its statements can be stopped when the time is over, and its log can be emptied.
package protocol InterruptibleStore: MigrationStore {
    /// When an upgrade's statements are stopped; nil for never.
    var deadline: ContinuousClock.Instant? { get set }

    /// Moves what is committed from the log into the file, so that the next transaction has the room.
    ///
    /// It waits for nobody, and what cannot be moved, because somebody still reads it or the disk is full, stays there.
    func emptyLog()
}
