extension MoltError {
    /// The error for a store that another process or cache upgraded or replaced while it was open.
    static func storeChanged(path: String, from version: Int, to stored: Int) -> MoltError {
        MoltError(
            .storeChanged,
            "Another process, or another cache in this process, upgraded the cache at \(path), restored a backup in "
                + "its place or began afresh (version \(version) before, \(stored) now) while it was open.",
            advice: "Open it again.",
            store: path,
            storeVersion: stored,
            registryVersion: version
        )
    }
}
