extension Migrator {
    /// Erases what upgrades of a store have deleted; if that is not possible, the store is upgraded all the same.
    ///
    /// - Throws: Errors of tests.
    func erase(_ store: StoreFile) throws -> MigrationReport.Erasure {
        var erasure = MigrationReport.Erasure(isComplete: false, copies: [])
        // A dry run or an import that was killed has left records in the temporary directory.
        if let path = CopyDirectory.removeLeftovers(of: CopyDirectory.Purpose.allCases).first {
            erasure.reason = "The temporary copy at \(path) cannot be removed."
        }
        do throws(MoltError) {
            // Backups stay where the file was when they were made.
            for path in [store.path] + registry.oldPaths(of: store.path) {
                StoreFiles(path).removeLeftovers()
                erasure.copies += try StoreFiles(path).copies()
            }
        } catch {
            erasure.reason = error.problem
        }
        do {
            try FileCompaction(of: store.path).erase(until: configuration.lastInstant) {
                try configuration.reach(.erase)
            }
            erasure.isComplete = true
            if try !store.withSnapshot({ try $0.state().handovers.isEmpty }) {
                erasure.reason = erasure.reason ?? "What waits to be handed over is still in the file."
            }
        } catch let error as MoltError {
            erasure.reason = error.problem
        }
        return erasure
    }
}
