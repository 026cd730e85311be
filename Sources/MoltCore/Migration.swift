/// A named, ordered change that brings a store to a version; it has one or more steps, or none.
///
/// A migration with no step says that a change needs no work on old records, as when an optional property was added,
/// and bumps the version.
///
/// ```swift
/// Migration(to: 1, "alien-becomes-person", .renameType("Alien", to: "Person"))
/// Migration(to: 2, "nickname-added")
/// ```
///
/// A migration never changes once it has shipped: it describes the past. Do not use today's types in it; name types
/// and properties by strings, or keep the old models in the migration.
public struct Migration: Sendable {
    /// The name, unique in its registry; it stays the same for ever, because ledgers know the migration by it.
    public let name: String
    /// The schema version that the migration brings a store to; at least 1.
    public let version: Int
    /// The steps, in the order in which they run.
    public private(set) var steps: [MigrationStep]
    /// The names of the earlier migrations that this one replaces.
    public let replaces: [String]
    /// Whether releases that do not know the migration read what it leaves as they should.
    ///
    /// See ``readableByOlderReleases()``.
    public private(set) var isReadableByOlderReleases = false

    /// The attached stores that it is to wait for, and that none of its steps works on.
    private(set) var unattachedWaits: [String] = []

    /// What its steps work on outside the primary store.
    package var attached: [any AttachedStore] {
        steps.flatMap(\.attached)
    }

    /// Whether it may bring records into a store that was just created.
    var mayBringRecords: Bool {
        steps.contains { $0.runsOnFreshStore && $0.usesRecords }
    }

    /// The name and the version.
    public var id: MigrationID {
        MigrationID(name: name, version: version)
    }

    /// Creates a migration.
    ///
    /// - Parameters:
    ///   - version: The schema version that it brings a store to; at least 1.
    ///   - name: A name that no other migration of the registry has.
    ///   - replaces: The earlier migrations whose work this one does alone, once they are gone from the code. A store
    ///     with all of them applied counts this one as applied; a store with none runs it; a store with some cannot
    ///     be upgraded. Name the migration itself too when it keeps the name of one of them.
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

    /// Declares that releases which do not know this migration read what it leaves as they should.
    ///
    /// It is so when only optional properties were added, or a type that they never look at was changed. A release that
    /// finds a store with newer migrations may open it for reading when all of these declare it, and when it was told
    /// to. The store remembers the declaration with the migration; it counts as it was when the migration ran.
    ///
    /// ```swift
    /// Migration(to: 3, "nickname-added").readableByOlderReleases()
    /// ```
    public func readableByOlderReleases() -> Migration {
        var copy = self
        copy.isReadableByOlderReleases = true
        return copy
    }

    /// The migration with something more that its steps wait for; it is no part of the fingerprint.
    ///
    /// - Parameter store: The attached store that is looked at; it is a fault of the registry when no step works on it.
    package func waiting(for store: any AttachedStore, _ readiness: @escaping MigrationStep.Readiness) -> Migration {
        var copy = self
        copy.steps = steps.map { $0.waiting(for: readiness) }
        if !attached.contains(where: { $0.attachedName == store.attachedName }) {
            copy.unattachedWaits.append(store.attachedName)
        }
        return copy
    }
}
