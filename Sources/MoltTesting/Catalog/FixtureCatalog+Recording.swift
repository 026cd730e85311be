public import Molt

extension FixtureCatalog {
    /// Records a store as a fixture of the catalog, in the file `<version>-<name>.json`.
    ///
    /// ```swift
    /// try catalog.record(StoreFixture(capturing: cache), named: "everyday", migrations: migrations)
    /// ```
    ///
    /// The catalog's recording rules apply. A missing file is written with `MOLT_RECORD=missing` or `all`. An existing
    /// file that differs is overwritten only with `all`, and not if its version is sealed, or below the newest version
    /// of the registry and of all files; with `all,unsealed`, only seals protect it.
    ///
    /// A call that has written a file throws, so that recording is always noticed. A call that writes nothing succeeds,
    /// so it can stay in a test. A test that records several fixtures ends at the first one that it writes: run it
    /// repeatedly, or use one test per fixture.
    ///
    /// - Parameters:
    ///   - fixture: The store. Times are left out of the file, so that it is always the same.
    ///   - name: Letters, digits, `-`, `_`, `.` and spaces. It must not differ from another name only in case.
    ///   - migrations: The app's registry, which determines the newest version. Without it, files can be created but
    ///     not overwritten, because nothing else shows whether a version has shipped.
    /// - Throws: ``TestingError`` if the file was written, so that recording is noticed, or if it differs and was not
    ///   written; also for an invalid name, and for a file that cannot be read or written.
    public func record(
        _ fixture: StoreFixture,
        named name: String,
        migrations: MigrationRegistry? = nil
    ) throws {
        try CatalogFile.requireName(name)
        let file = CatalogFile(fixtureVersion: fixture.version, name: name)
        let mode = try recordingMode()
        let paths = try paths()
        try requireOneSpelling(of: file, among: paths)
        let seals = try SealsFile(at: sealsURL)
        let protection = protection(paths, migrations, seals, mode)
        if !paths.contains(file.path) {
            guard seals.files[file.path] == nil, !paths.contains(where: { CatalogFile(path: $0)?.fixture == file })
            else {
                throw failure(
                    .shipped,
                    "The file is of an older version, and was removed. If it was never checked in, remove its upgraded "
                        + "fixtures, too. Otherwise restore it, because devices in the field may hold such a store: "
                        + restoring(file.path),
                    file
                )
            }
            guard mode != .never else {
                throw failure(.notRecorded, "There is no such file. " + RecordingAdvice.toWrite, file)
            }
        } else {
            let kept = try self.fixture(at: file)
            let difference = StoreDifference(
                expected: kept,
                found: fixture,
                aspects: .fingerprints,
                migrations: migrations
            )
            guard !difference.isEmpty else { return }
            try requireRewritable(
                file,
                kept,
                fixture,
                difference,
                protection,
                isNewestKnown: migrations != nil
            )
        }
        try write(fixture, to: file)
        throw failure(
            .recorded,
            "Written in this run, and not checked. \(RecordingAdvice.toCheck)",
            file
        )
    }

    /// Throws if another file's name differs only in case, because some file systems can hold only one of them.
    private func requireOneSpelling(of file: CatalogFile, among paths: [String]) throws {
        let same = paths.filter { $0 != file.path && $0.lowercased() == file.path.lowercased() }
        guard let other = same.min() else { return }
        throw failure(
            .unsuitable,
            "There is \(other), which many file systems treat as the same name. Use that name, or a different one.",
            file
        )
    }

    private func requireRewritable(
        _ file: CatalogFile,
        _ kept: StoreFixture,
        _ fixture: StoreFixture,
        _ difference: StoreDifference,
        _ protection: WriteProtection,
        isNewestKnown: Bool
    ) throws {
        guard !protection.hasShipped(file.version) else {
            throw failure(
                .shipped,
                "The store differs from the file:\n\(difference)\nA new fixture needs another name. "
                    + protection.advice(onVersion: file.version),
                file
            )
        }
        guard protection.mode.overwrites, isNewestKnown else {
            let isEditAlone = StoreDifference(expected: kept, found: fixture).isEmpty
            let advice =
                protection.mode.overwrites
                ? "The file is not overwritten, because only the registry can say whether it has shipped. Pass it to "
                    + "`record` as `migrations:`."
                : isEditAlone ? protection.adviceOnEdit(file.version) : protection.adviceIfNotShipped(file.version)
            throw failure(.notRecorded, "The store differs from the file:\n\(difference)\n\(advice)", file)
        }
    }

    private func failure(_ code: TestingError.Code, _ message: String, _ file: CatalogFile) -> TestingError {
        TestingError(code, message, file: url(of: file))
    }
}
