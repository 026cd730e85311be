internal import Foundation
package import MoltCore

extension CacheStore: BackedUpStore {
    /// Copies the file as others see it.
    package func makeBackup(_ request: BackupRequest) throws -> StoreBackup {
        guard !isInMemory else { throw MigrationError.backupFailed("it is in memory.", store: storeName) }
        return try BackupCopy(of: storeName, request).make()
    }

    /// The backups beside the file, the newest first.
    package func backups() throws -> [StoreBackup] {
        try isInMemory ? [] : BackupFiles(storeName).list()
    }

    /// What a backup says of the store.
    package func storeState(in backup: StoreBackup) throws -> StoreState {
        try FileProbe.state(BackupFiles(storeName).path(of: backup))
    }

    /// Looks at all of a backup.
    package func verify(_ backup: StoreBackup) throws {
        try BackupCheck.verify(backup, at: BackupFiles(storeName).path(of: backup))
    }

    /// Puts a backup in the place of what the file has.
    package func restore(
        _ backup: StoreBackup,
        _ request: RestoreRequest,
        waiting: () throws -> Void
    ) throws {
        let files = BackupFiles(storeName)
        let path = try files.path(of: backup, isOwn: !request.isFromAnotherStore)
        let state = try BackupCheck.verify(backup, at: path)
        try request.checkAttached(state.journal, of: backup)
        // Whatever this connection knows of the file is over.
        close()
        do {
            // Earlier copies of what was replaced stay: the first may have what is nowhere else.
            try StoreReplacement(
                of: storeName,
                keeping: request.keeping,
                attachedNow: request.attachedNow,
                atCopy: atCopy
            ).replace(with: .file(path), waiting: waiting)
        } catch let error as StoreReplacement.DamagedSource {
            throw MigrationError.backupUnusable(backup, error.reason)
        } catch let error as SQLiteError {
            throw MigrationError.restoreFailed(backup, error.advice, underlying: error)
        } catch let error as DurableFile.Failure {
            throw MigrationError.restoreFailed(backup, "\(error.reason).", underlying: error)
        }
    }

    /// Removes a backup of this store, and nothing else.
    package func remove(_ backup: StoreBackup) throws {
        let files = BackupFiles(storeName)
        let path = try files.path(of: backup, isOwn: false)
        let name = (path as NSString).lastPathComponent
        guard FileStatus.isSame((path as NSString).deletingLastPathComponent, files.directory),
            let parsed = BackupName(name, of: files.name), files.describe(parsed) != nil
        else {
            throw MigrationError.backupUnusable(backup, "it is none of this store, and was not removed.")
        }
        do {
            // A damaged file may have its log with it.
            for suffix in ["-wal", "-shm", "-journal"] where parsed.kind == .damaged {
                try DurableFile.remove(path + suffix)
            }
            try DurableFile.remove(path)
        } catch {
            throw MigrationError.backupUnusable(backup, "it cannot be removed: \(error.reason).", underlying: error)
        }
    }

    /// Whether the file is not whole; looks at all of it.
    package func isDamaged() -> Bool {
        !isInMemory && BackupCheck.damage(storeName) != nil
    }

    /// Keeps the file aside under another name, and leaves a fresh one.
    ///
    /// - Returns: The file that is kept: with `aside` at the end of its name or, when it cannot be read, with `damaged`. nil
    ///   when there was nothing in it.
    package func startAfresh(waiting: () throws -> Void) throws -> StoreBackup? {
        close()
        do {
            return try StoreReplacement(
                of: storeName,
                keeping: BackupRequest(.aside, version: 0),
                atCopy: atCopy
            ).replace(
                with: .nothing,
                // Upgrades of the old store that were cut off do not count for the fresh one.
                whenLocked: { attemptsURL.map { AttemptLog($0).clear() } },
                waiting: waiting
            )
        } catch let error as SQLiteError {
            throw CacheError(error, path: storeName)
        } catch let error as DurableFile.Failure {
            throw FileStatus.failure(error.number, path: storeName)
        }
    }
}
