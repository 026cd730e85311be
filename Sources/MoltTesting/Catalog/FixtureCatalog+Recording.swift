public import MoltCore

extension FixtureCatalog {
    /// Makes a store a fixture of the catalog, in the file `<version>-<name>.json`.
    ///
    /// ```swift
    /// try catalog.record(StoreFixture(capturing: cache), named: "everyday", migrations: migrations)
    /// ```
    ///
    /// The rules are those of the whole catalog. A file that is missing is written with `MOLT_RECORD=missing` or `all`;
    /// one that is there and different is written again with `all` only, and never when its version is below the newest
    /// one: the newest that the registry has, or any file when that is newer.
    ///
    /// A call that has written throws, so that no run records without somebody noticing it; one that has nothing to write
    /// does nothing, and so may stay in a test. A test that records several fixtures therefore ends at the first one that
    /// it writes: run it once for each, or give each fixture a test of its own.
    ///
    /// - Parameters:
    ///   - fixture: The store. When things happened is left out of the file, so that it is the same each time.
    ///   - name: Letters, digits, `-`, `_`, `.` and spaces; not one that another file has in other capitals.
    ///   - migrations: The app's registry, for its newest version. Without it a new file can be written, but none again:
    ///     nothing else tells whether it has shipped.
    /// - Throws: ``TestingError`` with the code `recorded` when the file was written, `notRecorded` or `shipped`
    ///   when it was not; `unsuitable` for the name; or why a file cannot be read or written.
    public func record(
        _ fixture: StoreFixture,
        named name: String,
        migrations: MigrationRegistry? = nil
    ) throws {
        try CatalogFile.requireName(name)
        let file = CatalogFile(fixtureVersion: fixture.schemaVersion, name: name)
        let mode = try recordingMode()
        let paths = try paths()
        try requireOneSpelling(of: file, among: paths)
        let newest = newestVersion(paths, migrations)
        if !paths.contains(file.path) {
            guard !paths.contains(where: { CatalogFile(path: $0)?.fixture == file }) else {
                throw failure(.shipped, CatalogWords.removed, file)
            }
            guard mode != .never else {
                throw failure(.notRecorded, "There is no such file. " + CatalogWords.toWrite, file)
            }
        } else {
            let kept = try self.fixture(at: file)
            guard !StoreDifference(expected: kept, found: fixture, aspects: .fingerprints).isEmpty else { return }
            try requireRewritable(file, kept, fixture, newest: newest, mode: mode, isNewestKnown: migrations != nil)
        }
        try write(fixture, to: file)
        throw failure(
            .recorded,
            "Written in this run, and not checked. Look at it, and run again without \(RecordingMode.variable).",
            file
        )
    }

    /// Throws when another file has the same name where capitals do not count: a checkout there has one of them only.
    private func requireOneSpelling(of file: CatalogFile, among paths: [String]) throws {
        let same = paths.filter { $0 != file.path && $0.lowercased() == file.path.lowercased() }
        guard let other = same.min() else { return }
        throw failure(
            .unsuitable,
            "There is \(other), which many a file system takes for the same name. Use that name, or quite another one.",
            file
        )
    }

    private func requireRewritable(
        _ file: CatalogFile,
        _ kept: StoreFixture,
        _ fixture: StoreFixture,
        newest: Int,
        mode: RecordingMode,
        isNewestKnown: Bool
    ) throws {
        let difference = StoreDifference(expected: kept, found: fixture, aspects: .fingerprints)
        guard file.version >= newest else {
            throw failure(
                .shipped,
                "The file is of version \(file.version), and there is a version \(newest): a file of an older version is "
                    + "never written again. Give the new fixture another name. It differs:\n\(difference)",
                file
            )
        }
        let isEditAlone = StoreDifference(expected: kept, found: fixture).isEmpty
        guard mode == .all else {
            throw failure(
                .notRecorded,
                "The store differs from the file:\n\(difference)\n"
                    + (isEditAlone ? CatalogWords.edited : CatalogWords.ifNotShipped(file.version)),
                file
            )
        }
        guard isNewestKnown else {
            throw failure(
                .notRecorded,
                "The store differs from the file:\n\(difference)\n"
                    + "The file is not written again: whether it has shipped is for the registry to say. Pass it to "
                    + "`record` as `migrations:`.",
                file
            )
        }
    }

    private func failure(_ code: TestingError.Code, _ message: String, _ file: CatalogFile) -> TestingError {
        TestingError(code, message, file: url(of: file))
    }
}
