/// A named, ordered change that brings a store to a version; it has any number of steps.
///
/// A migration without steps bumps the version when a change needs no work on old records, such as an added optional
/// property.
///
/// ```swift
/// Migration(to: 1, "alien-becomes-person", .renameType("Alien", to: "Person"))
/// Migration(to: 2, "nickname-added")
/// ```
///
/// Never change a migration that has shipped: it describes the past. Do not use today's types in it; name types and
/// properties by strings, or keep the old models in the migration.
public struct Migration: Sendable {
    /// The name, unique in its registry; ledgers identify the migration by it, so it must never change.
    public let name: String
    /// The schema version that the migration brings a store to; at least 1.
    public let version: Int
    /// The steps, in the order in which they run.
    package internal(set) var steps: [MigrationStep] {
        didSet { forgetFingerprint() }
    }
    /// The names of the earlier migrations that this one replaces.
    package let replaces: [String]
    /// What releases that do not know the migration may do with the store after it; see ``olderReleases(may:)``.
    package private(set) var olderReleases = Access.nothing

    /// Whether records go through the migration when they are read; see ``onRead()``.
    package private(set) var isOnRead = false

    /// Whether its block completes a store with some of the migrations that it replaces.
    package private(set) var completesReplacedMigrations = false
    /// What must hold in a store before it may run; see ``requirement(orElse:_:)``.
    var requirements: [Requirement] = []
    /// What it does after the commit; see ``afterCommit(_:_:)``.
    var work: Work?
    var declaresWorkTwice = false

    /// The coders of the values that its closures decode and encode.
    private(set) var coding = RecordCoding.standard {
        didSet { forgetFingerprint() }
    }
    /// Whether the migration itself declares its coders; otherwise they are those of its registry.
    private(set) var hasOwnCoding = false {
        didSet { forgetFingerprint() }
    }
    /// The fingerprint at the migration's own version, computed at its first use; copies share it.
    private var cachedFingerprint = Locked<String?>(nil)

    /// The name and the version.
    public var id: MigrationID { MigrationID(name: name, version: version) }

    /// Creates a migration.
    ///
    /// - Parameters:
    ///   - version: The schema version that the migration brings a store to; at least 1.
    ///   - name: A name that is unique in the registry.
    ///   - replaces: The earlier migrations that this one replaces. A store with all of them applied counts this one as
    ///     applied, and a store with none of them runs it. A store with some runs the others if they are still in the
    ///     registry; keep all of them there, or none. If they are not, it can be upgraded only by a migration
    ///     that merges them, with ``init(to:_:merging:revision:_:)``. Include the migration's own name if it reuses the
    ///     name of one of them. An earlier replacement that has left the code need not be in the list if what it
    ///     replaced is. Keep the list as long as the migration: without it, stores with the replaced migrations are
    ///     refused with the code `migrationMissing`.
    ///   - steps: The steps, in order.
    public init(to version: Int, _ name: String, replacing replaces: [String] = [], _ steps: MigrationStep...) {
        self.init(to: version, name, replacing: replaces, steps: steps)
    }

    /// Creates a migration from steps in an array.
    public init(to version: Int, _ name: String, replacing replaces: [String] = [], steps: [MigrationStep]) {
        self.name = name
        self.version = version
        self.steps = steps.map { $0.named(name) }
        self.replaces = replaces
    }

    /// Creates a migration with a block that does what some earlier migrations did, as far as a store still lacks it.
    ///
    /// Use it when those migrations have left the code, or never were in it, as those of a beta release. The block runs
    /// on a store with none of them and on one with some, and ``MigrationContext/appliedMigrations`` says which:
    ///
    /// ```swift
    /// Migration(to: 6, "email", merging: ["beta-address", "mail-becomes-email"]) { migration in
    ///     if migration.appliedMigrations.contains("beta-address") {
    ///         try migration.renameProperty("Person", "address", to: "email")
    ///     } else if migration.appliedMigrations.isEmpty {
    ///         try migration.renameProperty("Person", "mail", to: "email")
    ///     }
    /// }
    /// ```
    ///
    /// The block works on records alone. A store with all of the merged migrations counts this one as applied. The
    /// registry is invalid if it merges none, or if one of them is still in the registry.
    ///
    /// Two migrations of one name count as one that was edited, and must not be merged: a store with either counts as
    /// past this one. Keep the one that shipped, open the store with ``MoltConfiguration/mismatches`` set to `report`,
    /// and let a later migration change what the other has left.
    ///
    /// - Parameters:
    ///   - version: The schema version that the migration brings a store to; at least 1.
    ///   - name: A name that is unique in the registry.
    ///   - merged: The names of the earlier migrations.
    ///   - revision: The revision of the block's code, 1 by default; see ``MigrationStep/transform(_:revision:_:)``.
    ///   - block: Runs once, in the transaction of the upgrade; an error that it throws rolls the upgrade back.
    public init(
        to version: Int,
        _ name: String,
        merging merged: [String],
        revision: Int = 1,
        _ block: @escaping @Sendable (MigrationContext) throws -> Void
    ) {
        self.init(to: version, name, replacing: merged, .run(revision: revision, block))
        completesReplacedMigrations = true
    }

    /// Declares what releases that do not know this migration may do with the store after it; nothing by default.
    ///
    /// ```swift
    /// Migration(to: 3, "nickname-added").olderReleases(may: .write)
    /// ```
    ///
    /// Declare `.read` when only optional properties were added, or when a type changed that those releases never read.
    /// Such a release can open the upgraded store with ``CodableCache/init(reading:migrations:configuration:)`` if all
    /// newer migrations declare it.
    ///
    /// Declare `.write` when a release adds optional properties or new types, so that records need no work. Such a
    /// release opens the upgraded store as usual if all newer migrations declare it. A value that it sets for an
    /// existing key keeps the properties that it does not know: see ``MoltConfiguration/keepsUnknownProperties`` for
    /// what that means. A value for a new key lacks them, and so does a new element of an array, so they must be
    /// optional. No step ever sees what an older release writes after it. The registry is therefore invalid if the
    /// migration has steps, or if its coders differ from those of the version before.
    ///
    /// The store saves the declaration when the migration runs; a later change to it has no effect. It is not part of
    /// the ``fingerprint``.
    public func olderReleases(may access: Access) -> Migration {
        changed { $0.olderReleases = access }
    }

    /// Declares that the migration upgrades each record when it is read, so that opening a store does not wait for
    /// records to be upgraded.
    ///
    /// Use it when a store may have so many records that the app could not wait for all of them at its launch. Without
    /// it, an upgrade is simpler to think about: the whole store is upgraded, or nothing.
    ///
    /// ```swift
    /// Migration(to: 4, "mail-renamed", .renameProperty("Person", "mail", to: "email")).onRead()
    /// ```
    ///
    /// Opening the store only records the migration in its ledger. A read sends an older record through the migration
    /// in memory and writes nothing. Meanwhile, the backfill upgrades the other records in short transactions.
    /// A later migration without this declaration that works on records of a type that this one changes upgrades the
    /// remaining records in its own pass; the texts of plan and report name it. So does one that may give records
    /// keys, such as one with `transform`, if the failure policy lets a record that cannot be converted leave its key.
    ///
    /// Steps may only change the content of records: their keys, types, expiry and existence must stay. A record that
    /// cannot be converted keeps its content; reading it throws an error that names it.
    ///
    /// The declaration is not part of the ``fingerprint``.
    public func onRead() -> Migration {
        changed { $0.isOnRead = true }
    }

    /// Declares the coders of the values that the migration's closures decode and encode.
    ///
    /// By default, records have those of the registry, and settings in JSON those of Foundation.
    ///
    /// A migration to a version at which the coders changed has to declare them if it has closures: those that read
    /// values before a step of the migration changes their form, or those after it. If no step changes the form, as for
    /// dates that are keys of a dictionary, use `convert` with coders of its own.
    ///
    /// ```swift
    /// Migration(
    ///     to: 2, "milliseconds",
    ///     .changeValue("Note", "at", from: .deferredToDate, to: .millisecondsSince1970),
    ///     .convert("Note", from: NoteV1.self, to: NoteV2.self) { NoteV2($0) }
    /// ).coding(millisecondsCoding)
    /// ```
    public func coding(_ coding: RecordCoding) -> Migration {
        changed {
            $0.coding = coding
            $0.hasOwnCoding = true
        }
    }

    /// The migration with the coders of its registry, unless it declares its own.
    func inheriting(_ coding: RecordCoding) -> Migration {
        hasOwnCoding ? self : changed { $0.coding = coding }
    }

    /// The migration with some of its steps, and without what is about a store.
    func only(_ isIncluded: (MigrationStep) -> Bool) -> Migration {
        changed { migration in
            (migration.requirements, migration.work) = ([], nil)
            migration.steps = steps.filter(isIncluded)
        }
    }

    /// The migration without the checks of its registry; see ``MigrationRegistry/checkingDecodes(_:as:coding:)``.
    var withoutDecodeChecks: Migration {
        guard steps.contains(where: { $0.work.edit?.check != nil }) else { return self }
        return changed { $0.steps.removeAll { $0.work.edit?.check != nil } }
    }

    /// The migration with a check of its registry, before its own, which may look at what that has left.
    func adding(_ check: MigrationStep) -> Migration {
        changed { migration in
            let index = steps.firstIndex { if case .check = $0.work { true } else { false } }
            migration.steps.insert(check, at: index ?? steps.count)
        }
    }

    func changed(_ change: (inout Migration) -> Void) -> Migration {
        var copy = self
        change(&copy)
        return copy
    }

    /// A digest of the migration's declaration: its name, its version, and the steps with their parameters.
    ///
    /// A closure is represented by the revision that its author gives, and by the strategies of its coders. The ledger
    /// stores the fingerprint of each applied migration: a different one later means that the migration was edited
    /// after it had shipped. These are not included: descriptions of steps, names of models in code, suites of
    /// blocks, replaced migrations, checks, requirements, and work after the commit.
    public var fingerprint: String { fingerprint(at: version) }

    /// The fingerprint that the migration would have if it were registered at another version.
    func fingerprint(at version: Int) -> String {
        guard version == self.version else { return makeFingerprint(at: version) }
        // Every opening compares those of all applied migrations with the ledger.
        if let cached = cachedFingerprint.withLock({ $0 }) { return cached }
        let made = makeFingerprint(at: version)
        cachedFingerprint.withLock { $0 = made }
        return made
    }

    private mutating func forgetFingerprint() { cachedFingerprint = Locked(nil) }

    private func makeFingerprint(at version: Int) -> String {
        var parts = [name, String(version)]
        for step in changes { parts += ["step"] + step.declaration.identity }
        if runsClosure || hasOwnCoding && runsSettingClosure, coding.summary != RecordCoding.standard.summary {
            parts += ["coding", coding.summary]
        }
        var text: [UInt8] = []
        for part in parts {
            if !text.isEmpty { text.append(UInt8(ascii: "\n")) }
            // The length prefix keeps parts apart.
            text += "\(part.utf8.count):".utf8
            text += part.utf8
        }
        return String(SHA256.hexadecimal(of: text).prefix(32))
    }

    // MARK: For plans

    /// The steps without the checks, which come last.
    var changes: ArraySlice<MigrationStep> { steps.prefix { !$0.isCheck } }

    var hasChecks: Bool { steps.last?.isCheck == true }

    @inline(never)
    package var attached: [AttachedStore] { steps.flatMap(\.attached) }

    /// Whether it may be about settings, so that an upgrade of a suite without a cache has to run it.
    ///
    /// Checks alone may be.
    package var worksOnSettings: Bool {
        let isNeeded = changes.contains { step in
            switch step.work {
            case .settings, .block: true
            case .records, .store, .bring, .check: false
            }
        }
        return isNeeded || hasChecks && changes.isEmpty
    }

    /// Whether it may add records to a store that was just created.
    var mayBringRecords: Bool { steps.contains { $0.runsOnFreshStore && $0.usesRecords } }

    var changedDateForms: [Record.DateForm] {
        steps.compactMap { step in
            if case .records(.edit(let edit, _)) = step.work { edit.dateForm } else { nil }
        }
    }

    /// Whether a closure of the app may decode or encode values of records.
    var runsClosure: Bool { steps.contains(where: \.work.runsRecordClosure) }

    /// Whether a closure of the app may decode or encode the content of settings.
    private var runsSettingClosure: Bool {
        steps.contains { if case .settings(.edit(_, let edit)) = $0.work { edit.runsClosure } else { false } }
    }

    /// The coders of settings in JSON: those of the registry are about records.
    var settingCoding: RecordCoding { hasOwnCoding ? coding : .standard }
}

extension Migration: CustomStringConvertible {
    /// The name, the version and the steps, in one line.
    public var description: String {
        id.description + (steps.isEmpty ? "" : ": ") + steps.map(\.description).joined(separator: ", ")
    }
}
