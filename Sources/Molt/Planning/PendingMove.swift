internal import Foundation

/// A move of a store's file that its opening has to make first.
struct PendingMove: Equatable, Sendable {
    /// The migration that declares it.
    var migration: MigrationID
    /// The names of the migrations that it replaces.
    var replaces: [String]
    /// The paths of the two places.
    var path: String
    var newPath: String
    /// Whether only the old file has to be removed, because its copy is complete.
    var isFinished = false

    /// The file with the data, until it is moved.
    var sourceURL: URL { URL(fileURLWithPath: isFinished ? newPath : path, isDirectory: false) }

    var source: StoreFile {
        let store = StoreFile(at: sourceURL, createsFile: false)
        // An old file may be sealed already.
        store.readsLaterLayouts = true
        return store
    }
}

extension MigrationRegistry {
    /// The move that opening a store has to make first; nil if there is none.
    ///
    /// - Parameter histories: Those of the file at the store's own place.
    /// - Throws: ``MoltError`` with the code `twoStores`, or that of an old file that cannot be used.
    func pendingMove(of store: StoreFile, _ histories: Histories) throws(MoltError) -> PendingMove? {
        guard !store.isInMemory, store.primary == nil else { return nil }
        let moves = moves(to: store.path)
        // The newest place that has data is the store's.
        var current = histories.isFresh ? nil : (place: store.path, history: histories.store)
        var pending: PendingMove?
        for var move in moves where current.map({ $0.history.hasMade(move) }) != true {
            let old = try move.oldState()
            guard !old.isFresh else { continue }
            if let found = current {
                if found.place == store.path, try StoreMove.isFinished(from: move.path, to: store.path) {
                    move.isFinished = true
                    pending = move
                    continue
                }
                guard try FileFormat.hasData(move.path) else { continue }
                // A process that does not see the old file may have made an empty store.
                guard found.place == store.path, try !FileFormat.hasData(store.path) else {
                    throw Self.twoStores(move, found.place)
                }
            }
            current = (move.path, History(old.ledger))
            pending = move
        }
        return pending
    }

    /// The paths of files at the old places of a store that has been moved from there: an older build has begun anew.
    ///
    /// Only their names are looked at.
    ///
    /// - Parameter histories: Those of the file at the store's own place.
    func otherStores(than store: StoreFile, _ histories: Histories) -> [String] {
        guard !histories.isFresh, !store.isInMemory, store.primary == nil else { return [] }
        return moves(to: store.path)
            .filter { histories.store.hasMade($0) && FileStatus.unfollowed($0.path) != nil }
            .map(\.path)
    }

    /// The places from which a store's file has been moved, or will be.
    package func oldPlaces(of path: String) -> [String] { moves(to: path).map(\.path) }

    /// Whether a store's file is moved to a place from elsewhere.
    func movesStore(to path: String) -> Bool { !moves(to: path).isEmpty }

    /// Whether a store's file at a place may have been at another one before, or is the one there.
    func isOnWay(_ place: String, to path: String) -> Bool {
        ([path] + moves(to: path).map(\.path)).contains { Self.isSamePlace($0, place) }
    }

    /// The moves that lead to a place, also by way of others, the last one first.
    private func moves(to path: String) -> [PendingMove] {
        var places = [path]
        var moves: [PendingMove] = []
        for migration in migrations.reversed() {
            for step in migration.steps.reversed() {
                guard case .moveStore(let step) = step.work,
                    places.contains(where: { Self.isSamePlace($0, step.newPath) }),
                    !places.contains(where: { Self.isSamePlace($0, step.path) })
                else { continue }
                places.append(step.path)
                moves.append(
                    PendingMove(migration: migration.id, replaces: migration.replaces, path: step.path, newPath: path)
                )
            }
        }
        return moves
    }

    /// Whether two paths are the same place, also if there is no file yet.
    private static func isSamePlace(_ path: String, _ other: String) -> Bool {
        if path == other || DurableFile.isSame(path, other) { return true }
        let (first, second) = (path as NSString, other as NSString)
        // The directories may be missing, too, and links lead to those around them.
        guard first.length > 1, second.length > 1, first.lastPathComponent == second.lastPathComponent,
            FileStatus.unfollowed(path) == nil || FileStatus.unfollowed(other) == nil
        else { return false }
        return isSamePlace(first.deletingLastPathComponent, second.deletingLastPathComponent)
    }

    private static func twoStores(_ move: PendingMove, _ other: String) -> MoltError {
        MoltError(
            .twoStores,
            "Migration \(move.migration) moves the store from \(move.path), but there is already data at \(other), "
                + "and nothing shows that it was moved from there.",
            advice: "Decide which of the two stores the app keeps, save from the other what it lacks, and remove that "
                + "file with those beside it. Both are unchanged.",
            outcome: .unchanged,
            store: other,
            migration: move.migration
        )
    }
}

extension PendingMove {
    /// The state of the file at the old place.
    fileprivate func oldState() throws(MoltError) -> StoreState {
        // An app cannot see the container that it lost, and the system may have removed the directory.
        guard try FileStatus.of(path) != nil else { return .fresh }
        let state = try FileProbe.state(path)
        if let layout = state.laterLayout, layout != StoreMove.sealedFormat {
            throw FileFormat.newer(path, Int64(layout), isReadable: true)
        }
        return state
    }
}

extension History {
    /// Whether the store was moved, so that the old place is of no interest any more.
    func hasMade(_ move: PendingMove) -> Bool {
        if hasRun(move.migration.name) { return true }
        return !move.replaces.isEmpty && move.replaces.allSatisfy(hasRun)
    }

    /// Whether a migration is applied, and not because the store began without it.
    private func hasRun(_ name: String) -> Bool {
        applied[name].map { ![.createdAtVersion, .baseline, .replaced].contains($0.outcome) } ?? false
    }
}

extension MigrationReport.Move {
    /// The move with the copies that are still at the old place.
    init(pending move: PendingMove) {
        self.init(from: move.path, copies: (try? StoreFiles(move.path).copies()) ?? [])
    }
}
