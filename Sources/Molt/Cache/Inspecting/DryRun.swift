import Foundation

/// An upgrade of a temporary copy of a cache file.
struct DryRun {
    let url: URL
    let migrator: Migrator

    func run() throws -> MigrationReport {
        let configuration = migrator.configuration
        let original = StoreFile(at: url)
        let opening = OpeningSummary(of: original, configuration, migrator.mode)
        let copy: ScratchCopy
        let oldFiles: OldFiles
        do {
            oldFiles = try OldFiles(of: original, isFresh: original.state().isFresh, migrator.registry)
            opening.storeSize = (oldFiles.move?.source ?? original).byteCount
            copy = try ScratchCopy(of: oldFiles.move?.sourceURL ?? url, for: .dryRun, byteCount: opening.storeSize ?? 0)
        } catch {
            opening.end(with: error)
            throw error
        }
        do {
            try copy.fill(configuration.checkCancellation)
        } catch {
            let error = copy.ofOriginal(error)
            opening.end(with: error)
            throw error
        }
        defer { withExtendedLifetime(copy) {} }
        let store = StoreFile(at: copy.url, attaching: configuration.attachedStores)
        defer { store.close() }
        opening.restart()
        do {
            var report = try migrator.migrate(store, opening)
            report.store = FileStatus.path(of: url)
            if let move = oldFiles.move { report.add(move) }
            report.otherStores = oldFiles.others
            return report
        } catch {
            throw copy.ofOriginal(error)
        }
    }
}
