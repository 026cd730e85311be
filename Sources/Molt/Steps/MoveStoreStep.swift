public import Foundation

extension MigrationStep {
    /// Moves the store's own file, for example into the container of an app group.
    ///
    /// ```swift
    /// Migration(to: 3, "into-the-group", .moveStore(from: oldURL, to: groupURL))
    /// ```
    ///
    /// From then on, the app opens the store at the new URL. If there is no store yet, but one at the old URL, the
    /// opening moves that file with all that is in it, and then upgrades it as usual. ``MigrationPlan/movesFrom`` says
    /// so before it happens, and ``MigrationReport/move`` afterwards. Later migrations may move the file again.
    ///
    /// A kill at any instant leaves the file at one of the two places. On another volume, the file is copied; from the
    /// moment that the copy is complete until the old file is removed, no release can write to the old one. Backups and
    /// files that were set aside stay at the old place, and the report names them. `CodableCache.backups(at: oldURL)`
    /// still lists them, and
    /// ``CodableCache/restore(_:at:attaching:leavingUnattached:fromAnotherStore:keepsReplaced:timeout:)`` takes them
    /// `fromAnotherStore`.
    ///
    /// Opening fails, and changes neither file, with the code
    /// - `busy` while another process or cache has the old file open;
    /// - `twoStores` if both files have data and the new one is not the old one moved: the app must keep one of them;
    /// - `superseded` if a newer release has upgraded the old file.
    ///
    /// A process that does not own the store, and a cache that is only read, fail with the code `needsMigration`. So
    /// does an app extension if there is no store at either place, because it may not see the old one. A store at the
    /// new URL that was created there and has no records makes room for the old one. Once the migration has run, the
    /// store stays where it is.
    ///
    /// An older build that runs after the move creates a store of its own at the old URL, for example after a
    /// downgrade, or in an extension that was not updated yet. From then on, ``MigrationPlan/otherStores`` and
    /// ``MigrationReport/otherStores`` name that file. It is never changed or removed: import from it what the app
    /// needs with `CodableCache.import`, and remove it with the files beside
    /// it.
    ///
    /// The conditions of ``Migration/requiring(orElse:_:)`` must hold before the move. If the upgrade fails after it,
    /// the file is moved back. If that is not possible, as on another volume, the error says that the file is at the
    /// new URL; the next opening goes on from there. So it does after a kill.
    ///
    /// The step changes no record, and does nothing for any other store that the registry upgrades: one at another URL,
    /// a suite without a cache, a document, an import, a fixture. The URLs are not part of the migration's
    /// ``Migration/fingerprint``, because they differ on each device.
    ///
    /// - Parameters:
    ///   - url: The file's old place.
    ///   - newURL: The file's new place, at which the app opens the store.
    ///   - protection: The protection class that the file gets with the upgrade's commit, on Apple's systems; nil for
    ///     the one that it has. With a class, both URLs may be the same. Give the new directory that class, for the
    ///     files that SQLite makes beside it.
    public static func moveStore(
        from url: URL,
        to newURL: URL,
        protection: FileProtectionType? = nil
    ) -> MigrationStep {
        let step = MoveStoreStep(
            path: FileStatus.path(of: url),
            newPath: FileStatus.path(of: newURL),
            protection: protection?.rawValue
        )
        return MigrationStep(step, .moveStore(step))
    }
}

struct MoveStoreStep: StepDeclaration {
    var path: String
    var newPath: String
    var protection: String?

    var description: String { "move the store's file" + (protection.map { ", protected as \($0)" } ?? "") }
    var identity: [String] { ["moveStore"] + (protection.map { [$0] } ?? []) }
    var losses: [MigrationReport.DataLoss] { [] }
    var valueUses: [ValueUse] { [] }

    func check(_ check: inout StepCheck) {
        for path in [path, newPath] where !path.hasPrefix("/") { check.add("\(path) is not the URL of a file.") }
        if path == newPath, protection == nil { check.add("The store's file is moved to its own place.") }
    }
}
