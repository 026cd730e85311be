import Foundation

/// An upgrade of a temporary copy of a cache file.
struct DryRun {
    private let url: URL
    private let migrations: MigrationRegistry
    private let configuration: CodableCache.Configuration

    init(_ url: URL, _ migrations: MigrationRegistry, samples: Int, _ configuration: CodableCache.Configuration) {
        self.url = url
        self.migrations = migrations
        var configuration = configuration
        configuration.samples = samples
        self.configuration = configuration
    }

    func run() throws -> MigrationReport {
        var opening = configuration.opening(of: StoreFile(at: url))
        let scratch: CopyDirectory
        let store: StoreFile
        do {
            scratch = try scratchDirectory()
            store = try copy(in: scratch)
        } catch {
            let error = ofOriginal(error)
            opening.end(with: error)
            throw error
        }
        defer { withExtendedLifetime(scratch) {} }
        defer { store.close() }
        opening.restart()
        do {
            let reading =
                configuration.readsNewerStores
                ? try ReadingCheck(migrations, configuration).checkNewer(store, opening) : nil
            var report =
                try reading?.report ?? Migrator(migrations, configuration: configuration).migrate(store, opening)
            report.store = FileStatus.path(of: url)
            return report
        } catch {
            throw ofOriginal(error)
        }
    }

    /// The error with the name of the original store instead of the copy's.
    private func ofOriginal(_ error: any Error) -> any Error {
        guard var error = error as? MoltError else { return error }
        let original = FileStatus.path(of: url)
        if let copy = error.store { error.problem.replace(copy, with: original) }
        error.store = original
        return error
    }

    private func scratchDirectory() throws -> CopyDirectory {
        let directory = FileManager.default.temporaryDirectory
        do {
            return try CopyDirectory(prefix: "molt-dry-run-", in: directory)
        } catch let error as DurableFile.Failure {
            throw MoltError(
                .storeFailed,
                "The copy for the dry run could not be made: no directory can be created in \(directory.path).",
                underlying: error
            )
        }
    }

    /// Copies the file if it has our tables, without writing to it; leaves an empty file when there is none.
    private func copy(in scratch: CopyDirectory) throws -> StoreFile {
        let copy = scratch.url.appending(path: "copy")
        let path = FileStatus.path(of: url)
        try checkSpace(in: scratch.url)
        try FileStatus.create(copy.path, mayExist: true)
        var stop: (any Error)?
        _ = try FileProbe.look(path) { source throws(SQLiteError) in
            try source.copy(into: Connection(copy.path, mode: .readWrite)) {
                do { try configuration.checkCancellation() } catch { stop = error }
                return stop != nil
            }
        }
        if let stop { throw stop }
        let store = StoreFile(at: copy, attaching: configuration.attachedStores)
        store.readsLaterLayouts = configuration.readsNewerStores
        return store
    }

    /// Requires room for the copy and for the log of its upgrade, which is about as large.
    private func checkSpace(in directory: URL) throws {
        let size = 2 * (StoreFile(at: url).byteCount ?? 0)
        guard let free = FreeSpace.bytes(at: directory.path), free < size else { return }
        throw MoltError(
            .storeFailed,
            "The copy for the dry run needs \(size) bytes in \(FileManager.default.temporaryDirectory.path), which has "
                + "\(free).",
            advice: "Free some space, and try again.",
            store: FileStatus.path(of: url),
            underlying: DurableFile.Failure(number: ENOSPC)
        )
    }
}
