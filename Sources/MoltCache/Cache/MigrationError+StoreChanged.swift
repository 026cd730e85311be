internal import MoltCore

extension MigrationError {
    /// The error for a store that another process or cache upgraded or replaced while it was open.
    static func storeChanged(path: String, from version: Int, to stored: Int) -> MigrationError {
        let what =
            switch stored {
            case version:
                "restored a backup in place of the cache at \(path), or applied another migration to version \(version),"
            case ..<version:
                "restored a backup or began afresh in place of the cache at \(path), which has version \(stored) now,"
            default:
                "upgraded the cache at \(path) from version \(version) to \(stored), or replaced it,"
            }
        var error = MigrationError(
            .storeChanged,
            "Another process, or another cache of this one, \(what) while it was open. Open it again."
        )
        error.store = path
        error.storeVersion = stored
        error.registryVersion = version
        return error
    }
}
