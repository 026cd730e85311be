public import MoltCore

extension TestingError.Code {
    /// A file is not there, or not as it would be recorded, and the run was not told to record it.
    public static let notRecorded = TestingError.Code(rawValue: "notRecorded")
    /// A file has shipped, and must stay as it is.
    public static let shipped = TestingError.Code(rawValue: "shipped")
    /// A file was written in this run, and nothing was checked.
    public static let recorded = TestingError.Code(rawValue: "recorded")
}

extension FixtureCatalog {
    /// Makes a store a fixture of the catalog, in the file `<version>-<name>.json`.
    ///
    /// ```swift
    /// try catalog.record(StoreFixture(capturing: cache), named: "everyday")
    /// ```
    ///
    /// The rules are those of the whole catalog. A file that is missing is written with `MOLT_RECORD=missing` or `all`;
    /// one that is there and different is written again with `all` only, and never when its version is below the newest
    /// one: the newest that the registry has, or any file or line of the lock when that is newer. Its line in
    /// `fixtures.lock` is written with it. A call that has written throws, so that no run records without somebody noticing
    /// it; one that has nothing to write does nothing, and so may stay in a test.
    ///
    /// - Parameters:
    ///   - fixture: The store. When things happened is left out of the file, so that it is the same each time.
    ///   - name: Letters, digits, `-`, `_`, `.` and spaces.
    ///   - migrations: The app's registry, for its newest version.
    /// - Throws: ``TestingError`` with the code `recorded` when the file was written, `notRecorded` or `shipped` when it
    ///   was not; or why a file cannot be read or written.
    public func record(
        _ fixture: StoreFixture,
        named name: String,
        migrations: MigrationRegistry? = nil
    ) throws {
        guard CatalogFile.isName(name) else {
            throw TestingError(
                .unsuitable,
                "\"\(name)\" cannot be the name of a fixture. Use letters, digits, -, _, . and spaces."
            )
        }
        let file = CatalogFile(fixtureVersion: fixture.schemaVersion, name: name)
        let mode = try recordingMode()
        let lock = try lock()
        let known = try paths().compactMap { CatalogFile(path: $0)?.version }
        let newest = max(lock.newestVersion ?? 0, known.max() ?? 0, migrations?.version ?? 0)
        let hasShipped = file.version < newest
        if try hash(of: file.path) == nil {
            if hasShipped, lock.hashes[file.path] != nil {
                throw failure(.shipped, CatalogWords.removed, file)
            }
            guard mode != .never else {
                throw failure(.notRecorded, "There is no such file. " + CatalogWords.toWrite, file)
            }
        } else {
            let kept = try self.fixture(at: file)
            let difference = StoreDifference(expected: kept, found: fixture, aspects: .fingerprints)
            guard !difference.isEmpty else { return }
            let isEditAlone = StoreDifference(expected: kept, found: fixture).isEmpty
            guard !hasShipped else {
                throw failure(
                    .shipped,
                    "The file is of version \(file.version), and there is a version \(newest): it has shipped, and is "
                        + "never written again. Give the new fixture another name. It differs:\n\(difference)",
                    file
                )
            }
            guard mode == .all else {
                throw failure(
                    .notRecorded,
                    "The store differs from the file:\n\(difference)\n"
                        + (isEditAlone ? CatalogWords.edited : CatalogWords.toWriteAgain),
                    file
                )
            }
        }
        try write(fixture, to: file)
        try updateLock(of: [file.path])
        throw failure(
            .recorded,
            "Written in this run, and not checked. Look at it, and run again without \(RecordingMode.variable).",
            file
        )
    }

    private func failure(_ code: TestingError.Code, _ message: String, _ file: CatalogFile) -> TestingError {
        TestingError(code, message, file: url(of: file))
    }
}

/// Sentences that say what to do about a file.
enum CatalogWords {
    static let toWrite = "To write it: \(RecordingMode.variable)=missing swift test"
    static let toWriteAgain = "If the new one is right, write it again: \(RecordingMode.variable)=all swift test"
    static let edited =
        "What is in the store is the same: migrations were edited since the file was written. Undo that where they have "
        + "shipped. Where they have not: \(RecordingMode.variable)=all swift test"
    static let removed =
        "The file has shipped, and was removed. Restore it from version control: it is what devices in the field hold."
    static let changed =
        "The file has shipped, and is not what it was: its SHA-256 is not that in \(FixtureLock.file). Restore both from "
        + "version control. A mistake in an upgrade is mended by a migration, and a new case by a new fixture."
    static let unlocked =
        "The file is of a version that has shipped, and has no line in \(FixtureLock.file). Restore the line from version "
        + "control. If the fixture is a new one, add its line: \(RecordingMode.variable)=missing swift test"
}
