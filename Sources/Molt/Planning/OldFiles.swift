internal import Foundation

/// A move of a store's file that its opening has to make first.
struct PendingMove: Equatable, Sendable {
    /// The old and the new path.
    let path: String
    let newPath: String
    /// The state of the file with the data.
    let state: StoreState
    /// Whether only the old file has to be removed.
    var copyIsComplete = false

    /// The file with the data, until it is moved.
    var sourceURL: URL { URL(fileURLWithPath: copyIsComplete ? newPath : path, isDirectory: false) }

    var source: StoreFile {
        let store = StoreFile(at: sourceURL, createsFile: false)
        // An old file may be sealed already.
        store.options.readsLaterLayouts = true
        return store
    }
}

/// The files at the paths from which a registry moves a store's file.
struct OldFiles {
    /// The move that opening the store has to make first; nil if there is none.
    private(set) var move: PendingMove?
    /// The paths of files at the old paths of a store that was moved from there: an older build has begun anew.
    private(set) var others: [String] = []

    /// Looks at the old paths of a store; the store is read only if something is there.
    ///
    /// - Parameter isFresh: Whether the store does not exist yet at its own path.
    /// - Throws: ``MoltError`` with the code `twoStores`, or that of an old file that cannot be used.
    init(of store: StoreFile, isFresh: Bool, _ registry: MigrationRegistry) throws {
        guard !registry.moves.isEmpty, !store.isInMemory, store.primary == nil else { return }
        // The newest path that has data is the store's.
        var current = isFresh ? nil : store
        for path in registry.oldPaths(of: store.path) where !FileStatus.isMissing(path) {
            if let current, let mark = try current.mark(FileFormat.move) {
                guard current === store else { continue }
                // Only a sealed file is what the move has left. The state of any other is of no interest.
                if (try? StoreMove.seal(at: path)) == mark {
                    move = try PendingMove(path: path, newPath: store.path, state: store.state(), copyIsComplete: true)
                } else if FileStatus.unfollowed(path) != nil {
                    others.append(path)
                }
                continue
            }
            let state = try StoreMove.state(at: path)
            guard !state.isFresh else { continue }
            if let current {
                guard try FileFormat.hasData(path) else { continue }
                // A process that does not see the old file may have made an empty store.
                guard current === store, try !FileFormat.hasData(store.path) else {
                    throw Self.twoStores(path, current.path)
                }
            }
            let pending = PendingMove(path: path, newPath: store.path, state: state)
            (move, current) = (pending, pending.source)
        }
    }

    private static func twoStores(_ path: String, _ other: String) -> MoltError {
        MoltError(
            .twoStores,
            "The registry's `storeMove` moves the store from \(path), but there is already data at \(other), and nothing "
                + "shows that it was moved from there.",
            advice: "Decide which of the two stores the app keeps, save from the other what it lacks, and remove that "
                + "file with those beside it. Both are unchanged.",
            outcome: .unchanged,
            store: other
        )
    }
}

extension MigrationReport {
    /// Adds a move, with the copies that are still at the old path.
    mutating func add(_ move: PendingMove) {
        movedFrom = move.path
        copiesLeftBehind = (try? StoreFiles(move.path).copies()) ?? []
    }
}
