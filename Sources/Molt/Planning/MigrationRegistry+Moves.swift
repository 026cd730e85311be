public import Foundation

/// A declared move of a store's file.
struct StoreMoveDeclaration {
    let path: String
    let newPath: String
    /// The protection class at the new place; nil for the one that the file has.
    let protection: String?
}

extension MigrationRegistry {
    /// Declares that a store's own file is moved, for example into the container of an app group.
    ///
    /// ```swift
    /// let migrations = MigrationRegistry([Migration(to: 4, "nickname-added")]).storeMove(from: oldURL, to: groupURL)
    /// let cache = try CodableCache(at: groupURL, migrations: migrations)
    /// ```
    ///
    /// From then on, the app opens the store at the new URL. If there is no store yet, but one at the old URL, the
    /// opening moves that file with all that is in it, and then upgrades it as usual. The text of a ``MigrationPlan``
    /// says so before it happens, and ``MigrationReport/movedFrom`` afterwards. Moves that are declared later may move
    /// the file again.
    ///
    /// A kill at any instant leaves the file at one of the two places. On another volume, the file is copied; from the
    /// moment that the copy is complete until the old file is removed, no release can write to the old one. Backups and
    /// files that were set aside stay at the old place, and the report names them. `CacheFile(at: oldURL).backups()`
    /// still lists them, and
    /// ``CacheFile/restore(_:suites:leavingOthers:fromAnotherStore:keepingReplaced:timeout:)`` takes them
    /// `fromAnotherStore`.
    ///
    /// Opening fails, and changes neither file, with the code
    /// - `busy` while another process or cache has the old file open;
    /// - `twoStores` if both files have data and the new one is not the old one moved: the app must keep one of them;
    /// - `superseded` if a newer release has upgraded the old file.
    ///
    /// A process that does not own the store, and a cache that is only read, fail with the code `needsMigration`. So
    /// does an app extension if there is no store at either place, because it may not see the old one. A store at the
    /// new URL that was created there and has no records makes room for the old one. Once the file was moved, the store
    /// stays where it is.
    ///
    /// An older build that runs after the move creates a store of its own at the old URL, for example after a
    /// downgrade, or in an extension that was not updated yet. From then on, plans and
    /// ``MigrationReport/otherStores`` name that file. It is never changed or removed: import from it what the app
    /// needs with `CodableCache.import`, and remove it with the files beside it.
    ///
    /// The conditions of ``Migration/requirement(orElse:_:)`` must hold before the move. If the upgrade fails after it,
    /// the file is moved back. If that is not possible, as on another volume, the error says that the file is at the
    /// new URL; the next opening goes on from there. So it does after a kill.
    ///
    /// The declaration does nothing for any other store that the registry upgrades: one at another URL, a suite without
    /// a cache, a document, an import, a fixture. It is no migration, and part of no ``Migration/fingerprint``. Keep it
    /// as long as there may be a store at the old URL.
    ///
    /// - Parameters:
    ///   - url: The file's old place.
    ///   - newURL: The file's new place, at which the app opens the store.
    ///   - protection: The protection class of the file at the new place, on Apple's systems; nil for the one that it
    ///     has. An opening that finds another class sets this one, with the commit of its upgrade if there is one, and
    ///     fails with the code `storeFailed` if it cannot. With a class, both URLs may be the same. Give the new
    ///     directory that class, for the files that SQLite makes beside it.
    public func storeMove(from url: URL, to newURL: URL, protection: FileProtectionType? = nil) -> MigrationRegistry {
        var registry = self
        registry.moves.append(
            StoreMoveDeclaration(
                path: FileStatus.path(of: url),
                newPath: FileStatus.path(of: newURL),
                protection: protection?.rawValue
            )
        )
        return registry
    }

    var moveFaults: [String] {
        moves.flatMap { move in
            let invalid = [move.path, move.newPath].filter { !$0.hasPrefix("/") }
            var faults = invalid.map {
                "`storeMove` has \($0), which is not the URL of a file. Make it with `URL(filePath:)`."
            }
            if move.path == move.newPath, move.protection == nil {
                faults.append(
                    "`storeMove` moves the store's file to its own place, \(move.path), and sets no protection. "
                        + "Correct one of the places, or remove it."
                )
            }
            return faults
        }
    }

    /// The paths from which a store's file has been moved, or will be, also through others; the last move's first.
    package func oldPaths(of path: String) -> [String] {
        var paths = [path]
        for move in moves.reversed()
        where paths.contains(where: { Self.isSamePath($0, move.newPath) })
            && !paths.contains(where: { Self.isSamePath($0, move.path) })
        {
            paths.append(move.path)
        }
        return Array(paths.dropFirst())
    }

    /// The protection class that the file of a store at a path must have; nil if none is declared.
    func protection(at path: String) -> String? {
        let paths = [path] + oldPaths(of: path)
        return moves.last { move in
            move.protection != nil && paths.contains { Self.isSamePath($0, move.newPath) }
        }?.protection
    }

    /// Whether two paths lead to the same file, also if there is no file yet.
    private static func isSamePath(_ path: String, _ other: String) -> Bool {
        if path == other || DurableFile.isSame(path, other) { return true }
        let (first, second) = (path as NSString, other as NSString)
        // The directories may be missing, too, and links lead to those around them.
        guard first.length > 1, second.length > 1, first.lastPathComponent == second.lastPathComponent,
            FileStatus.unfollowed(path) == nil || FileStatus.unfollowed(other) == nil
        else { return false }
        return isSamePath(first.deletingLastPathComponent, second.deletingLastPathComponent)
    }
}
