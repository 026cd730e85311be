internal import MoltCore

/// Holds a catalog's files against its lock.
struct CatalogAudit {
    private(set) var failures = FailureList()
    /// The fixtures and expected stores that are there.
    private(set) var files: [CatalogFile] = []
    /// The files whose lines in the lock are to be what they are now, once nothing is wrong with them.
    private(set) var unlocked: [CatalogFile] = []
    /// The files that are gone, and whose lines are to go, too.
    private(set) var forgotten: [CatalogFile] = []
    let lock: FixtureLock
    /// The newest version that anything tells of; what is of an older one has shipped.
    let newest: Int
    private let catalog: FixtureCatalog
    private let migrations: MigrationRegistry
    private let mode: RecordingMode

    init(_ catalog: FixtureCatalog, _ migrations: MigrationRegistry, mode: RecordingMode) throws {
        self.catalog = catalog
        self.migrations = migrations
        self.mode = mode
        lock = try catalog.lock()
        for fault in lock.faults { failures.add(.lock, FixtureLock.file, "\(fault) \(CatalogWords.restoreLock)") }
        let paths = try catalog.paths()
        newest = catalog.newestVersion(paths, lock, migrations)
        for path in Set(paths).union(lock.hashes.keys).sorted() {
            guard let file = CatalogFile(path: path) else {
                failures.add(
                    .catalog,
                    path,
                    "This is not the name of a fixture, `1-name.json`, nor of an expected store, "
                        + "`\(CatalogFile.goldenDirectory)/1-name@2.json`. The one JSON file beside them may be "
                        + "`\(CatalogFile.schema)`, a snapshot of the schema."
                )
                continue
            }
            let hash = try catalog.hash(of: path)
            if hash != nil {
                files.append(file)
                checkTarget(of: file)
            }
            try check(file, hash: hash, locked: lock.hashes[path])
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

    /// Whether no upgrade makes the store that a file expects, because the registry does not have its version.
    private func isWithoutTarget(_ file: CatalogFile) -> Bool {
        guard let target = file.target, file.fixtureVersion >= migrations.oldestSupportedVersion else { return false }
        return !migrations.migrations.contains { $0.version == target }
    }

    /// A file that nothing is compared with looks like a test, and is none.
    private mutating func checkTarget(of file: CatalogFile) {
        guard isWithoutTarget(file), let target = file.target else { return }
        let advice =
            target > migrations.version
            ? "It ends at version \(migrations.version): take the registry that the file was recorded with, or a newer one."
            : "When a later migration has replaced those of that version, remove the file. Otherwise restore them."
        failures.add(
            .catalog,
            file.path,
            "Nothing is compared with this: the registry has no version \(target)"
                + (target > migrations.version ? ". " : " any more. ") + advice
        )
    }

    private mutating func check(_ file: CatalogFile, hash: String?, locked: String?) throws {
        guard hash != locked else { return }
        switch (hash, locked) {
        case (nil, _?): checkRemoved(file)
        case (_, nil): checkUnlocked(file)
        case (_, let locked?): try checkChanged(file, locked)
        }
    }

    private mutating func checkRemoved(_ file: CatalogFile) {
        let isObsolete =
            file.fixtureVersion < migrations.oldestSupportedVersion
            || (isWithoutTarget(file) && file.version < migrations.version)
        if isObsolete {
            if mode != .never { forgotten.append(file) }
        } else if hasShipped(file) {
            failures.add(.lock, file.path, CatalogWords.removed)
        } else if mode == .all || (mode == .missing && file.target != nil) {
            forgotten.append(file)
        } else {
            failures.add(
                .lock,
                file.path,
                "The file was removed. Restore it. " + CatalogWords.ifNotShipped(file.version)
            )
        }
    }

    private mutating func checkUnlocked(_ file: CatalogFile) {
        if mode != .never {
            unlocked.append(file)
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

    private mutating func checkChanged(_ file: CatalogFile, _ locked: String) throws {
        // Whoever records these bytes makes every other checkout a failure.
        if try catalog.unixHash(of: file.path) == locked {
            failures.add(.lock, file.path, CatalogWords.lineEnds)
        } else if hasShipped(file) {
            failures.add(.lock, file.path, CatalogWords.changed)
        } else if mode == .all {
            unlocked.append(file)
        } else {
            failures.add(
                .lock,
                file.path,
                "The file is not what it was when it was recorded. Restore it from version control, unless the change is "
                    + "meant. " + CatalogWords.ifNotShipped(file.version)
            )
        }
    }
}
