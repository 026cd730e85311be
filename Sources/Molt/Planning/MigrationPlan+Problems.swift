/// The problems that a plan finds, without the store and its versions.
extension MoltError {
    /// Records still have to go through a migration on read that the registry has lost.
    static func missingOnRead(_ row: LedgerEntry, _ registry: MigrationRegistry) -> Self {
        let advice: String
        if let replacement = registry.migrations.first(where: { $0.replaces.contains(row.name) }) {
            advice =
                "Keep the migrations that \(replacement.id) replaces in the registry instead of it, until no store has "
                + "records from before them."
        } else if registry.migrations.contains(where: { $0.name == row.name }) {
            advice = "It is in the registry with other steps: undo that change."
        } else {
            advice = "Keep it in the registry, with or without `onRead()`, until no store has records from before it."
        }
        return Self(
            .migrationMissing,
            "Records of the store still have to go through migration \(row.id), which upgrades them when they "
                + "are read.",
            advice: advice,
            migration: row.id
        )
    }

    /// A suite cannot get the rows of a migration that counts as applied by what the app says.
    static func suiteOfBaselineUnavailable(at version: Int, _ suite: String, _ migration: MigrationID) -> Self {
        Self(
            .deferred,
            "The store gets version \(version) from `baseline`, but the settings in \(suite), which "
                + "migration \(migration) works on, cannot be used now.",
            advice: "Open the store again later, in the app.",
            migration: migration
        )
    }

    /// A suite has been through a migration that the registry does not have.
    static func unknown(_ row: LedgerEntry, in suite: String, _ registry: MigrationRegistry) -> Self {
        let isNewer = row.version > registry.version
        return Self(
            isNewer ? .superseded : .migrationMissing,
            "The settings in \(suite) have been through migration \(row.id), which "
                + (isNewer
                    ? "only a newer release of the app has; this one knows versions up to \(registry.version)."
                    : "this app does not have. It was renamed or removed here, or a build of another branch applied "
                        + "it."),
            advice: (isNewer ? "Update the app. " : "")
                + "If another registry of the app has applied it, register it in this one, too.",
            migration: row.id,
            suite: suite
        )
    }

    /// A migration that others need has to wait.
    static func deferred(_ migration: Migration, _ reason: String) -> Self {
        Self(
            .deferred,
            "Migration \(migration.id) must wait: \(reason) The others cannot run without it, because it "
                + "may also change records.",
            advice: "Open the store again later.",
            migration: migration.id
        )
    }

    /// The store is at a later version than the registry.
    static func newer(_ histories: Histories, _ registry: MigrationRegistry) -> Self {
        let problem =
            if let baseline = histories.baseline {
                "The store gets version \(baseline) from `baseline`"
            } else {
                "The store is at version \(histories.version), which a newer release of the app wrote"
            }
        return Self(
            .superseded,
            "\(problem); this release knows versions up to \(registry.version).",
            advice: (registry.migrations.isEmpty
                ? "Pass the app's migrations, or update the app. " : "Update the app. ")
                + MoltError.recoveryAdvice(histories.kind)
        )
    }

    /// The store is at an earlier version than the oldest one that the registry supports.
    static func tooOld(_ histories: Histories, _ registry: MigrationRegistry) -> Self {
        Self(
            .tooOld,
            "The store is at version \(histories.version); the oldest version that this app can upgrade "
                + "is \(registry.oldestSupportedVersion).",
            advice: histories.hasRecords
                ? "Open it first with a release that still has the migrations in between, or call "
                    + "`CacheFile.startAfresh()`, which sets this cache aside and starts with an empty one."
                : "Upgrade the settings first with a release that still has the migrations in between.",
            registryVersion: registry.oldestSupportedVersion
        )
    }

    /// The store has been through migrations that the registry does not have.
    static func unknown(_ unknown: [LedgerEntry], of history: History, _ registry: MigrationRegistry) -> Self {
        let names = DisplayText.list(unknown.map(\.name))
        let applied = Set(history.rows.map(\.name))
        // Two builds may have given one number to different migrations, such as a beta release and the one that
        // shipped.
        let twin = unknown.lazy.compactMap { row in
            registry.migrations.first { $0.version == row.version && !applied.contains($0.name) }.map { (row, $0) }
        }.first
        return Self(
            .migrationMissing,
            "The store has migrations that this app does not have: \(names). They were renamed or removed "
                + "here, or a build of another branch applied them."
                + (twin.map { row, migration in
                    " Version \(row.version) is \"\(row.name)\" there and \"\(migration.name)\" here."
                } ?? ""),
            advice:
                "Put them back under these names, or merge the branches. To retire a migration that has shipped, use `oldestVersion(_:)`, or "
                + "replace it with another one."
                + (twin.map { row, migration in
                    " If two builds gave version \(row.version) to different migrations, replace both with one "
                        + "migration to a later version, whose block completes either of them: `merging: "
                        + "[\"\(row.name)\", \"\(migration.name)\"]`."
                } ?? ""),
            migration: MigrationID(name: unknown[0].name, version: unknown[0].version)
        )
    }

    /// A target has been through some of the migrations that one replaces, but not through all.
    static func partlyReplaced(
        _ migration: Migration,
        _ subject: String,
        _ applied: [String],
        _ missing: [String]
    ) -> Self {
        let completes =
            migration.attached.contains { $0.suite != nil }
            ? "" : ", or make it a block that completes what is missing, with `merging:`"
        return Self(
            .partlyReplaced,
            "\(subject) been through some of the migrations that \(migration.id) replaces "
                + "(\(DisplayText.list(applied))) but not all (missing: \(DisplayText.list(missing))).",
            advice: "Keep the replaced migrations in the registry beside it\(completes), or open the store first "
                + "with a release that has them. If a missing one itself replaces some of the others, leave it out of "
                + "`replacing:`."
                + (migration.attached.contains { $0.suite != nil }
                    ? " Without the cache file, only the replaced migrations tell what settings have been through."
                    : ""),
            migration: migration.id
        )
    }

    /// There is no store yet, and a migration may move one there that the process cannot see.
    static func invisible(_ path: String) -> Self {
        Self(
            .needsMigration,
            "There is no store at \(path) yet, and an app extension may not have access to the one that "
                + "the registry's `storeMove` moves there.",
            advice: "Open the store in the app first."
        )
    }

    /// A migration has work after the commit, which only a cache can keep.
    static func workWithoutCache(_ migration: Migration) -> Self {
        Self(
            .unsupported,
            "Migration \(migration.id) has work after the commit, and a suite that is upgraded without a "
                + "cache cannot keep it until it succeeds.",
            advice: "Open the app's cache, or leave out `afterCommit` and do the work after the upgrade.",
            migration: migration.id
        )
    }

    /// A migration was never applied, although the store has passed its version.
    static func late(_ migration: Migration, at version: Int) -> Self {
        Self(
            .lateMigration,
            "Migration \(migration.id) was never applied, but the store is at version \(version) already.",
            advice: "Give it a version above every one that has shipped. If it is also correct for records of a later "
                + "version, use `allowingLateMigrations()` of the registry instead. If this store does not need it, "
                + "run `mark-applied` of the app's tool.",
            migration: migration.id
        )
    }
}
