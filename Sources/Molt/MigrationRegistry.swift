/// The ordered list of migrations that an app registers at startup.
///
/// ```swift
/// let migrations: MigrationRegistry = [
///     Migration(to: 1, "alien-becomes-person", .renameType("Alien", to: "Person")),
///     Migration(to: 2, "mail-becomes-email", .renameProperty("Person", "mail", to: "email")),
/// ]
/// ```
/// Or, one at a time:
/// ```swift
/// var migrations = MigrationRegistry()
/// migrations.register(to: 1, "full-name") { migration in
///     try migration.enumerate("Person") { old, new in
///         new["fullName"] = .string("\(try old.string("firstName")) \(try old.string("lastName"))")
///     }
/// }
/// ```
public struct MigrationRegistry: Sendable, ExpressibleByArrayLiteral {
    /// The migrations, in the order in which they were registered.
    public private(set) var migrations: [Migration]

    /// The coders of the values that today's release reads and writes; ``RecordCoding/standard`` by default.
    ///
    /// Declare others with ``coding(_:through:)``.
    package var coding: RecordCoding { coding(at: .max) }

    /// The coders by the last version at which values were written with them, in ascending order.
    private(set) var codings: [(through: Int, coding: RecordCoding)] = []

    /// The checks of what an upgrade has changed, in the order of their declarations.
    private var decodeChecks: [DecodeCheck] = []

    /// The policy for records that a step without its own policy cannot convert; see ``onFailure(_:)``.
    private(set) var failurePolicy = FailurePolicy.stop

    /// The version up to which migrations were removed from the code; see ``oldestVersion(_:)``.
    package private(set) var oldestSupportedVersion = 0

    /// Whether a migration may run on a store that has already passed its version; see ``allowingLateMigrations()``.
    package private(set) var allowsLateMigrations = false

    /// Returns the version at which a store without a ledger enters; see ``baseline(from:)``.
    package var baseline: Baseline?

    /// The moves of stores' files, in the order of their declarations; see ``storeMove(from:to:protection:)``.
    var moves: [StoreMoveDeclaration] = []

    /// The files that the app ships, in the order of their declarations; see ``seed(_:from:removingOthers:)``.
    var seeds: [SeedDeclaration] = []

    /// Creates a registry of migrations, in the order in which those of one version run; an empty one by default.
    public init(_ migrations: [Migration] = []) {
        self.migrations = migrations
    }

    /// Creates a registry from migrations in source code.
    public init(arrayLiteral elements: Migration...) {
        self.init(elements)
    }

    /// Appends a migration.
    public mutating func register(_ migration: Migration) {
        migrations.append(codings.isEmpty ? migration : migration.inheriting(coding(at: migration.version)))
        placeDecodeChecks()
    }

    /// Adds a migration that consists of one block over the whole store.
    ///
    /// For a block on suites, or one with a revision, register a migration with
    /// ``MigrationStep/run(_:suites:onFreshStore:revision:_:)``.
    ///
    /// - Parameters:
    ///   - version: The schema version that the migration brings a store to; at least 1.
    ///   - name: A name that is unique in the registry.
    ///   - block: Runs once, in the transaction of the upgrade; an error that it throws rolls the upgrade back.
    public mutating func register(
        to version: Int,
        _ name: String,
        _ block: @escaping @Sendable (MigrationContext) throws -> Void
    ) {
        register(Migration(to: version, name, .run(nil, block)))
    }

    /// The version that the registry brings a store to: the highest of its migrations' versions.
    public var version: Int {
        max(migrations.map(\.version).max() ?? 0, oldestSupportedVersion)
    }

    /// The names of the migrations, in order.
    package var names: [String] {
        migrations.map(\.name)
    }

    var knownNames: Set<String> { Set(migrations.flatMap { [$0.name] + $0.replaces }) }

    /// The rows of a ledger whose migrations did what the registry does not know; those up to
    /// ``oldestVersion(_:)`` need not be known, and neither do those that were marked as pending by hand.
    ///
    /// - Returns: The rows, with what they say of older releases as far as it concerns this one.
    package func unknown(in ledger: [LedgerEntry]) -> [LedgerEntry] {
        let known = knownNames
        return ledger.compactMap { row in
            guard row.version > oldestSupportedVersion, row.outcome != .unmarked else { return nil }
            return row.unknown(to: known)
        }
    }

    /// The version that the registry brings a store to, which may have it from a replacement of known migrations.
    func version(for ledger: [LedgerEntry]) -> Int {
        guard ledger.contains(where: { $0.version > version && !$0.replaces.isEmpty }) else { return version }
        let known = knownNames
        return ledger.filter { $0.outcome.isApplied && $0.unknown(to: known) == nil }.map(\.version)
            .reduce(version, max)
    }

    /// The registry with a policy for records that a step cannot convert; by default the upgrade stops.
    ///
    /// A step's own policy takes precedence; see ``MigrationStep/onFailure(_:)``.
    public func onFailure(_ policy: FailurePolicy) -> MigrationRegistry {
        var registry = self
        registry.failurePolicy = policy
        return registry
    }

    /// The registry without the migrations up to a version, which have left the code.
    ///
    /// An older store is refused with the code `tooOld`. Ledger rows at or below this version need no migration in the
    /// registry, and no migration may bring a store to such a version. A migration that is still deferred on some
    /// device is abandoned: its data stays as it is.
    ///
    /// - Parameter version: The version of the oldest store that can be upgraded; without this declaration, any can.
    public func oldestVersion(_ version: Int) -> MigrationRegistry {
        var registry = self
        registry.oldestSupportedVersion = version
        return registry
    }

    /// The registry whose migrations may run on a store that has already passed their version.
    ///
    /// This happens when two branches of an app's code, each with its own migration, are merged. Allow it only if every
    /// such migration is also correct for records of a later version. Records that it creates are in the form of its
    /// own version, and go through the later steps; if one of those is a block that the store has been through, opening
    /// it throws `lateMigration`.
    public func allowingLateMigrations() -> MigrationRegistry {
        var registry = self
        registry.allowsLateMigrations = true
        return registry
    }

    // MARK: Coders

    /// Declares the coders of values, if they are not ``RecordCoding/standard``.
    ///
    /// Values that the app reads and writes, and those that closures of migrations decode and encode, are coded by
    /// them. If a release changed the coders, keep the earlier ones here too, so that the result of an old migration
    /// does not depend on today's coders. Never change coders without a new version, because Molt cannot tell in which
    /// form a number is:
    ///
    /// ```swift
    /// let migrations = MigrationRegistry([
    ///     Migration(to: 1, "title", .transform("Note") { note in
    ///         note["title"] = "Note of \(try note.value("at", as: Date.self))"
    ///     }),
    ///     Migration(
    ///         to: 2, "milliseconds",
    ///         .changeValue("Note", "at", from: .deferredToDate, to: .millisecondsSince1970)
    ///     ),
    /// ])
    /// .coding(.standard, through: 1)
    /// .coding(millisecondsCoding)
    /// ```
    ///
    /// A migration uses the coders of its version. One to the version at which the coders change must say itself which
    /// ones its closures use; see ``Migration/coding(_:)``. If this registry declares none, a migration that was taken
    /// from another registry keeps the coders that it had there.
    ///
    /// - Parameters:
    ///   - coding: The coders.
    ///   - version: The last version at which releases wrote values with them; nil for those of today's release.
    public func coding(_ coding: RecordCoding, through version: Int? = nil) -> MigrationRegistry {
        let version = version ?? .max
        var registry = self
        registry.codings.removeAll { $0.through == version }
        registry.codings = (registry.codings + [(version, coding)]).ordered { $0.through < $1.through }
        registry.migrations = migrations.map { $0.inheriting(registry.coding(at: $0.version)) }
        registry.placeDecodeChecks()
        return registry
    }

    /// The registry without the coders of later versions.
    private func withCoders(of version: Int) -> MigrationRegistry {
        var registry = self
        // They are about today's types, and stay where they are.
        registry.decodeChecks = []
        // Their files may be of later versions.
        registry.seeds = []
        registry.codings.removeAll { $0.through >= version }
        return registry.coding(coding(at: version))
    }

    /// The coders of values at a version.
    func coding(at version: Int) -> RecordCoding {
        codings.first { version <= $0.through }?.coding ?? .standard
    }

    // MARK: Checks

    /// The registry with a check that what an upgrade has changed decodes as a type of today's release.
    ///
    /// ```swift
    /// let migrations = MigrationRegistry([
    ///     Migration(to: 1, "split", .splitProperty("Person", "fullName", into: "firstName", "lastName")),
    /// ])
    /// .checkingDecodes("Person", as: Person.self)
    /// .onFailure(.quarantine(upTo: .share(0.01)))
    /// ```
    ///
    /// The tests of `MoltTesting` find what no longer decodes before a release ships, as far as their fixtures show it.
    /// This check finds the rest on the device, before the commit: an upgrade does not replace a value that could be
    /// read by one that cannot.
    ///
    /// The last migration in the registry that may change records of the type runs it, after its other steps. It
    /// decodes on all cores those records of the type that the upgrade has changed, or whose type it has renamed; if
    /// other work comes after such a rename, all records of the type. A record that does not decode is one that this
    /// migration cannot convert, and is subject to the policy of ``onFailure(_:)``. Of settings, the check is run by
    /// the last migration with a step on settings of the suite.
    ///
    /// Once a later migration changes the type, it runs the check instead: declare only types of today. The check is
    /// not part of a ``Migration/fingerprint``. It is not run by a migration on read, since a value is decoded when it
    /// is read; by one that has run before, such as when a late migration changes the type; nor for documents and for
    /// caches that only read.
    ///
    /// - Parameters:
    ///   - place: The name of the type in the store, or settings; see ``MigrationStep/Place``.
    ///   - type: The type that the app reads. It is decoded on several threads.
    ///   - coding: The coders with which the app reads the values; by default, for records those of the registry, and
    ///     for settings those of Foundation.
    public func checkingDecodes<Value: Decodable & SendableMetatype>(
        _ place: some MigrationStep.Place,
        as type: Value.Type,
        coding: RecordCoding? = nil
    ) -> MigrationRegistry {
        var registry = self
        registry.decodeChecks.append(DecodeCheck(StepPlace(place), type, coding))
        registry.placeDecodeChecks()
        return registry
    }

    /// The types of records whose check no migration runs, because none changes them.
    var typesOfIdleChecks: [String] {
        decodeChecks.filter { !migrations.contains(where: $0.concerns(_:)) }.compactMap { $0.place.type?.text }
    }

    /// Gives each check to the last migration that may change what it is about.
    private mutating func placeDecodeChecks() {
        guard !decodeChecks.isEmpty else { return }
        migrations = migrations.map(\.withoutDecodeChecks)
        let shortcuts = replacedByShortcuts
        for check in decodeChecks {
            let concerned = migrations.filter(check.concerns(_:))
            // A store that has been through a part of a shortcut's migrations runs the others.
            let last = [concerned.last, concerned.last { shortcuts[$0.name] == nil }].compactMap { $0?.name }
            let step = check.step(after: check.renamings(in: migrations), coding)
            for (index, migration) in migrations.enumerated() where last.contains(migration.name) && !migration.isOnRead
            {
                migrations[index] = migration.adding(step)
            }
        }
    }

    // MARK: Subregistries

    /// The migration with a name, for a test of it alone.
    ///
    /// ```swift
    /// let alone: MigrationRegistry = [try migrations["split-full-name"]]
    /// ```
    ///
    /// - Throws: ``MoltError`` with the code `unknownMigration`.
    public subscript(name: String) -> Migration {
        get throws { try migrations[index(of: name)] }
    }

    private func index(of name: String) throws -> Int {
        if let index = migrations.firstIndex(where: { $0.name == name }) { return index }
        throw MoltError(
            .unknownMigration,
            "No migration of the registry is named \"\(name)\". It has: \(names.joined(separator: ", "))."
        )
    }

    /// The registry up to and including a migration, with the coders of its version.
    ///
    /// - Throws: ``MoltError`` with the code `unknownMigration`.
    package func upTo(_ name: String) throws -> MigrationRegistry {
        var registry = self
        registry.migrations.removeSubrange((try index(of: name) + 1)...)
        return registry.withCoders(of: registry.version)
    }

    /// The registry of a version: without the migrations to later ones, and with the coders of that version.
    public func upTo(version: Int) -> MigrationRegistry {
        var registry = self
        registry.migrations.removeAll { $0.version > version }
        return registry.withCoders(of: version)
    }
}

extension MigrationRegistry {
    /// The registry for an import: without the steps on directories and files and, if it has no settings, on settings.
    func importing(includesSettings: Bool) -> MigrationRegistry {
        let mode = RunMode.importing(includesSettings: includesSettings)
        var registry = only { mode.use(of: $0) == .runs }
        if let baseline, !includesSettings { registry.baseline = { try baseline($0.withoutSettings()) } }
        return registry
    }

    /// The registry with some of its steps, and without what is about a store.
    func only(_ isIncluded: (MigrationStep) -> Bool) -> MigrationRegistry {
        var registry = self
        registry.seeds = []
        registry.migrations = migrations.map { $0.only(isIncluded) }
        return registry
    }

    /// The registry without its shortcuts: every store goes through the migrations that they replace.
    package var withoutShortcuts: MigrationRegistry { without(Set(replacedByShortcuts.keys)) }

    package func without(_ names: Set<String>) -> MigrationRegistry {
        var registry = self
        registry.migrations.removeAll { names.contains($0.name) }
        return registry
    }
}

extension MigrationRegistry: CustomStringConvertible {
    /// The migrations, one in each line.
    public var description: String {
        migrations.isEmpty ? "no migrations" : migrations.map(\.description).joined(separator: "\n")
    }
}
