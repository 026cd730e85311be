/// Holds a catalog's files against its lock.
struct CatalogAudit {
    private(set) var failures = FailureList()
    /// The fixtures and expected stores that are there.
    private(set) var files: [CatalogFile] = []
    /// The paths whose lines in the lock are to be what the files are now.
    private(set) var unlocked: [String] = []
    let lock: FixtureLock
    private let newest: Int
    private let oldest: Int
    private let mode: RecordingMode

    /// - Parameters:
    ///   - newest: What is of an older version than this one has shipped.
    ///   - oldest: Fixtures that are older than this may be removed.
    init(_ catalog: FixtureCatalog, newest: Int, oldest: Int, mode: RecordingMode) throws {
        self.newest = newest
        self.oldest = oldest
        self.mode = mode
        lock = try catalog.lock()
        for fault in lock.faults {
            failures.add(.lock, FixtureLock.file, "\(fault) Restore the file from version control.")
        }
        let paths = try catalog.paths()
        for path in Set(paths).union(lock.hashes.keys).sorted() {
            guard let file = CatalogFile(path: path) else {
                failures.add(
                    .catalog,
                    path,
                    "This is not the name of a fixture, `1-name.json`, nor of an expected store, "
                        + "`\(CatalogFile.goldenDirectory)/1-name@2.json`."
                )
                continue
            }
            let hash = try catalog.hash(of: path)
            if hash != nil { files.append(file) }
            check(file, hash: hash, locked: lock.hashes[path])
        }
        let fixtures = Set(files.filter { $0.target == nil })
        for file in files where !fixtures.contains(file.fixture) && lock.hashes[file.fixture.path] == nil {
            failures.add(.catalog, file.path, "There is no fixture \(file.fixture.path) that this was made from.")
        }
    }

    /// Whether a file was there before the newest version was.
    func hasShipped(_ file: CatalogFile) -> Bool {
        file.version < newest
    }

    private mutating func check(_ file: CatalogFile, hash: String?, locked: String?) {
        guard hash != locked else { return }
        switch (hash, locked) {
        case (nil, _?): checkRemoved(file)
        case (_, nil): checkUnlocked(file)
        default: checkChanged(file)
        }
    }

    private mutating func checkRemoved(_ file: CatalogFile) {
        if file.fixtureVersion < oldest {
            if mode != .never { unlocked.append(file.path) }
        } else if hasShipped(file) {
            failures.add(.lock, file.path, CatalogWords.removed)
        } else if mode == .all || (mode == .missing && file.target != nil) {
            unlocked.append(file.path)
        } else {
            failures.add(
                .lock,
                file.path,
                "The file was removed. Restore it, or forget its line in \(FixtureLock.file): "
                    + "\(RecordingMode.variable)=all swift test"
            )
        }
    }

    private mutating func checkUnlocked(_ file: CatalogFile) {
        if mode != .never {
            unlocked.append(file.path)
        } else if hasShipped(file) {
            failures.add(.lock, file.path, CatalogWords.unlocked)
        } else {
            failures.add(
                .lock,
                file.path,
                "The file has no line in \(FixtureLock.file) yet. To add it: \(RecordingMode.variable)=missing swift test"
            )
        }
    }

    private mutating func checkChanged(_ file: CatalogFile) {
        if hasShipped(file) {
            failures.add(.lock, file.path, CatalogWords.changed)
        } else if mode == .all {
            unlocked.append(file.path)
        } else {
            failures.add(
                .lock,
                file.path,
                "The file is not what it was when it was recorded. Restore it from version control. If the change is "
                    + "meant, make it the recorded one: \(RecordingMode.variable)=all swift test"
            )
        }
    }
}
