extension MigrationRegistry {
    /// Throws if the registry has faults; called before anything is written.
    ///
    /// - Throws: ``MoltError`` with the code `invalidRegistry` and a message that lists every fault.
    public func validate() throws {
        let faults = faults
        guard !faults.isEmpty else { return }
        let list = faults.map { "\n- \($0)" }.joined()
        throw MoltError(.invalidRegistry, "The registry of migrations has faults:\(list)")
    }

    /// All faults of the registry, one sentence each, in the order of the migrations, its moves, and its seeds.
    package var faults: [String] {
        var faults: [String] = []
        if oldestSupportedVersion < 0 {
            faults.append("`oldestVersion(_:)` is \(oldestSupportedVersion); a version is 0 or more.")
        } else if oldestSupportedVersion > Int(Int32.max) {
            faults.append("`oldestVersion(_:)` is above \(Int32.max), more than a store can hold.")
        }
        for (version, _) in codings where version < .max && version >= self.version {
            faults.append(
                "The registry has coders for values up to version \(version) and others for later ones, but no "
                    + "migration to a later version. Add one that changes the form of the stored values: "
                    + "`Migration(to: \(version + 1), …)`."
            )
        }
        var seen: [String: Int] = [:]
        let names = Set(names)
        var replaced: Set<String> = []
        let ordered = versionsInOrder
        for (index, migration) in migrations.enumerated() {
            let subject = "The \(ordinal(index)) migration, \(migration.id)"
            if migration.name.allSatisfy(\.isWhitespace) {
                faults.append(
                    "The \(ordinal(index)) migration (version \(migration.version)) has an empty name. Give "
                        + "it one that never changes."
                )
            } else if let first = seen[migration.name] {
                faults.append(
                    migrations[first].fingerprint == migration.fingerprint
                        ? "\(subject), is registered twice: it is also the \(ordinal(first)) migration. Remove one."
                        : "\(subject), has the same name as the \(ordinal(first)) migration. Names are never reused: choose another."
                )
            } else {
                seen[migration.name] = index
            }
            faults += versionFaults(of: migration, subject: subject)
            if let ordered, !ordered.contains(index) {
                faults.append(orderFault(of: migration, index, ordered, subject: subject))
            }
            faults += replacementFaults(
                of: migration,
                subject: subject,
                names: names,
                earlier: Set(migrations.prefix(index).map(\.name)),
                replaced: replaced
            )
            replaced.formUnion(migration.replaces)
            faults += policyFaults(of: migration, subject: subject)
            faults += onReadFaults(of: migration, subject: subject)
            faults += writableFaults(of: migration, subject: subject)
            if migration.declaresWorkTwice {
                faults.append(
                    "\(subject), declares more than one piece of work after the commit. Do all in one closure, or "
                        + "give each a migration of its own."
                )
            }
            if migration.work?.removesSource == true, !migration.steps.contains(where: \.isImport) {
                faults.append("\(subject), removes a source, but imports nothing. Use `afterCommit`.")
            }
            faults += codingFaults(of: migration, subject: subject)
            faults += StepCheck.faults(of: migration.steps).map { step, fault in "\(subject), step \(step): \(fault)" }
        }
        return faults + moveFaults + seedFaults
    }

    /// The positions of the longest list of migrations whose versions do not fall; nil if that has all.
    ///
    /// The others are out of place.
    private var versionsInOrder: Set<Int>? {
        guard zip(migrations, migrations.dropFirst()).contains(where: { $0.version > $1.version }) else { return nil }
        var lengths: [Int] = []
        var previous: [Int?] = []
        for (index, migration) in migrations.enumerated() {
            let before = (0..<index).filter { migrations[$0].version <= migration.version }
            // Of lists of one length, that with the earliest migrations.
            let best = before.max { (lengths[$0], -$0) < (lengths[$1], -$1) }
            previous.append(best)
            lengths.append((best.map { lengths[$0] } ?? 0) + 1)
        }
        var next = lengths.indices.max { (lengths[$0], -$0) < (lengths[$1], -$1) }
        var found: Set<Int> = []
        while let index = next {
            found.insert(index)
            next = previous[index]
        }
        return found
    }

    private func orderFault(of migration: Migration, _ index: Int, _ ordered: Set<Int>, subject: String) -> String {
        let higher = ordered.filter { $0 < index }.map { migrations[$0].version }.max().flatMap {
            $0 > migration.version ? "after a migration to version \($0)" : nil
        }
        let lower = ordered.filter { $0 > index }.map { migrations[$0].version }.min() ?? migration.version
        return "\(subject), comes \(higher ?? "before a migration to version \(lower)"). Register migrations in the "
            + "order of their versions."
    }

    private func versionFaults(of migration: Migration, subject: String) -> [String] {
        var faults: [String] = []
        if migration.version < 1 {
            faults.append("\(subject), brings a store to a version below 1; version 0 means never migrated.")
        } else if migration.version > Int(Int32.max) {
            faults.append("\(subject), has a version above \(Int32.max), more than a store can hold.")
        } else if migration.version <= oldestSupportedVersion {
            faults.append(
                "\(subject), is retired: `oldestVersion(_:)` is \(oldestSupportedVersion). Remove the migration, or "
                    + "lower that version."
            )
        }
        return faults
    }

    private func policyFaults(of migration: Migration, subject: String) -> [String] {
        var faults: [String] = []
        for (number, step) in migration.steps.enumerated() {
            guard let policy = step.failurePolicy else { continue }
            let subject = "\(subject), step \(number + 1)"
            if !step.work.hasFailurePolicy {
                faults.append(
                    "\(subject): The step has a failure policy but processes no records (\(step)). Remove `onFailure(_:)`."
                )
            }
            if let count = policy.limit?.count, count < 0 {
                faults.append("\(subject): The failure limit is \(count) records; it must be 0 or more.")
            }
            if let share = policy.limit?.share, !(0...1).contains(share) {
                faults.append("\(subject): The failure limit is a share of \(share); it must be from 0 to 1.")
            }
        }
        return faults
    }

    private func onReadFaults(of migration: Migration, subject: String) -> [String] {
        guard migration.isOnRead else { return [] }
        let others = migration.changes.enumerated().filter { _, step in
            if case .records(.edit(let edit, _)) = step.work { edit.mayDrop } else { true }
        }
        var faults = others.map { number, step in
            "\(subject), step \(number + 1): It runs on read, but the step changes more than the content of single "
                + "records (\(step)). Remove `onRead()`, or move the step to a migration of its own."
        }
        let hooks = [
            migration.hasChecks ? "a check" : nil,
            migration.work == nil ? nil : "work after the commit",
        ]
        faults += hooks.compactMap(\.self).map { hook in
            "\(subject), runs on read and has \(hook), but its records are upgraded after the store is opened. Remove "
                + "`onRead()`, or declare it in a later migration without `onRead()`."
        }
        return faults
    }

    private func writableFaults(of migration: Migration, subject: String) -> [String] {
        guard migration.olderReleases == .write else { return [] }
        var faults = migration.changes.enumerated().map { number, step in
            "\(subject), step \(number + 1): Older releases may write to the store, and the step will not see what they "
                + "write (\(step)). Remove `olderReleases(may: .write)`, or move the step to a migration of its own."
        }
        if !coding(before: migration).isSame(as: coding(at: migration.version)) {
            faults.append(
                "\(subject), lets older releases write to the store, but they write values with other coders. Remove "
                    + "`olderReleases(may: .write)`."
            )
        }
        return faults
    }

    /// The coders of the version before a migration's.
    private func coding(before migration: Migration) -> RecordCoding {
        let before = migrations.map(\.version).filter { $0 < migration.version }.max() ?? 0
        return coding(at: max(before, oldestSupportedVersion))
    }

    /// The first migrations after a change of the coders may decode values before or after they get their new form.
    private func codingFaults(of migration: Migration, subject: String) -> [String] {
        guard migration.runsClosure, !migration.hasOwnCoding else { return [] }
        let earlier = coding(before: migration)
        if allowsLateMigrations, !coding.isSame(as: migration.coding) {
            return [
                "\(subject), runs a closure, may run late, and has the coders of its version, which later records do not have. "
                    + "Add `.coding(…)` to the migration, with coders that read both."
            ]
        }
        // Without declared coders, such a step is about a property that had a form of its own, such as a string.
        if !codings.isEmpty, let form = migration.coding.dateForm,
            let change = migrations.first(where: {
                $0.version >= migration.version && !$0.changedDateForms.isEmpty
            }), !change.changedDateForms.contains(form)
        {
            return [
                "\(subject), runs a closure with coders of dates that \(change.id) changes from another form. Declare the "
                    + "coders of the releases before that change: `.coding(…, through: \(change.version - 1))` of the "
                    + "registry. If the closure decodes no such date, or decodes it after the change, add `.coding(…)` to "
                    + "the migration."
            ]
        }
        guard !earlier.isSame(as: migration.coding) else { return [] }
        return [
            "\(subject), runs a closure, and the registry's coders change at its version. Say which coders the closure's "
                + "values have: add `.coding(…)` to the migration, with the earlier coders if its closures run before "
                + "the step that changes the form of the values, and otherwise with the later ones."
        ]
    }

    /// A position as an ordinal that cannot be confused with a version: 0 is "1st".
    private func ordinal(_ index: Int) -> String { DisplayText.ordinal(index + 1) }

    /// The first migration with steps between those that a shortcut replaces and the shortcut that is none of them.
    private func migrationBetween(_ replaced: [String], and shortcut: Migration) -> Migration? {
        let replacedByShortcuts = replacedByShortcuts
        guard let replacedNames = replacedByShortcuts[shortcut.name],
            let first = migrations.firstIndex(where: { replaced.contains($0.name) }),
            let last = migrations.firstIndex(where: { $0.name == shortcut.name }), first < last
        else { return nil }
        return migrations[first..<last].first { migration in
            !replacedNames.contains(migration.name) && replacedByShortcuts[migration.name] == nil
                && !migration.steps.isEmpty
        }
    }

    /// - Parameters:
    ///   - names: The names of all migrations.
    ///   - earlier: The names of those before it.
    ///   - replaced: The names that earlier migrations replace.
    private func replacementFaults(
        of migration: Migration,
        subject: String,
        names: Set<String>,
        earlier: Set<String>,
        replaced: Set<String>
    ) -> [String] {
        var faults: [String] = []
        let others = migration.replaces.filter { $0 != migration.name }
        let kept = others.filter(names.contains)
        let allReplaced = allReplaced
        // A replacement that is kept stands for what it replaces.
        let replacedByKept = kept.reduce(into: Set<String>()) { $0.formUnion(allReplaced[$1] ?? []) }
        let missing = others.filter { !names.contains($0) && !replacedByKept.contains($0) }
        if !kept.isEmpty, !missing.isEmpty || migration.replaces.contains(migration.name) {
            faults.append(
                "\(subject), replaces \(DisplayText.list(kept)), still in the registry, "
                    + (missing.isEmpty
                        ? "and has the name of a migration that it replaces. "
                        : "but \(DisplayText.list(missing)) is not. ")
                    + "Keep all replaced migrations beside it, or remove them all."
            )
        }
        if let between = migrationBetween(kept, and: migration) {
            faults.append(
                "\(subject), replaces \(DisplayText.list(kept)) but not \(between.id), which comes between them: a store "
                    + "that runs the replacement would go through it in another order. Replace it, too, or move it."
            )
        }
        for name in kept where !earlier.contains(name) {
            faults.append("\(subject), replaces \"\(name)\", which comes after it. Register it after that one.")
        }
        for name in others where replaced.contains(name) && !names.contains(name) && !replacedByKept.contains(name) {
            faults.append(
                "\(subject), replaces \"\(name)\", which an earlier migration replaces already. Let only one "
                    + "of them replace it."
            )
        }
        if migration.replaces == [migration.name] {
            faults.append("\(subject), replaces only itself. Remove `replacing:`.")
        }
        return faults + completionFaults(of: migration, subject: subject, keeping: kept)
    }

    /// - Parameter kept: The names of the migrations in the registry that it replaces.
    private func completionFaults(of migration: Migration, subject: String, keeping kept: [String]) -> [String] {
        guard migration.completesReplacedMigrations else { return [] }
        var faults: [String] = []
        if migration.replaces.isEmpty {
            faults.append("\(subject), merges none. Name the merged migrations, or use `run`.")
        } else if !kept.isEmpty {
            faults.append(
                "\(subject), merges migrations that are still in the registry, so that a store runs them itself. Use "
                    + "`replacing:`."
            )
        }
        return faults
    }
}
