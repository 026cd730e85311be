extension MigrationContext {
    /// An `enumerate` that is under way.
    struct Enumeration {
        /// The record that its closure has.
        var current: Int64 = 0
        /// Whether the closure deleted that record by its key.
        var isCurrentDeleted = false
        /// The records that take its place when the closure drops it.
        var additions: [Record] = []
        /// Whether that record was written since the closure got it.
        var isCurrentWritten = false
        /// Whether records that were read into the batch may have been changed or deleted since.
        var isBatchStale = false
        /// Whether records that were not read into the batch may have got the type since.
        var isBatchIncomplete = false
        /// Whether records further on may have been changed by this block.
        var looksForOriginals: Bool
    }
}
