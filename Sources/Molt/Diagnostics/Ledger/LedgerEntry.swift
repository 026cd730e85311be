public import Foundation

/// A row of the ledger: one migration that this store counts as applied, or that waits.
public struct LedgerEntry: Equatable, Sendable, Codable {
    /// The reason why the store counts the migration as applied.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// It ran.
        case ran
        /// The store was created at this version or a later one, so only the steps that import data ran.
        case createdAtVersion = "bornFresh"
        /// All migrations that it replaces were applied.
        case replaced
        /// It applies to older records when they are read, and in the background; see ``Migration/onRead()``. Once all
        /// records went through it, the outcome becomes ``ran``.
        case onRead
        /// The registry's baseline gave the store a version, and the migration is not later.
        case baseline
        /// It was marked as applied by hand; the ledger keeps the reason.
        case marked
        /// Not applied: the migration must wait, and a later opening tries again.
        case deferred
        /// Not applied any more: it was marked as pending by hand, and the next opening runs it.
        case unmarked

        /// Whether the store counts the migration as applied.
        public var isApplied: Bool { self != .deferred && self != .unmarked }

        /// Decodes an outcome; an unknown one is that of a later release, which counts the migration as applied.
        public init(from decoder: any Decoder) throws {
            self = Outcome(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .ran
        }
    }

    /// The migration's name.
    public package(set) var name: String
    /// The schema version that the migration brings a store to.
    public package(set) var version: Int
    /// The reason why it counts as applied.
    public package(set) var outcome: Outcome
    /// When its upgrade was committed.
    public package(set) var appliedAt: Date
    /// The duration, in seconds; see ``MigrationReport/Entry/duration``.
    public package(set) var duration: TimeInterval = 0
    /// The numbers of records read, changed, dropped, created and quarantined.
    public package(set) var counts = MigrationReport.Counts()
    /// The number of settings or files in each suite or directory that it worked on, by its name.
    package var attachedCounts: [String: Int] = [:]
    /// The version of the app that ran it, as given by the app; empty if it gave none.
    public package(set) var appVersion = ""
    /// The version of Molt that ran it.
    public package(set) var moltVersion: String
    /// The migration's ``Migration/fingerprint`` when it was recorded; nil if unknown.
    public package(set) var fingerprint: String?
    /// The names of the earlier migrations that the migration replaces.
    public package(set) var replaces: [String] = []
    /// What older releases need to know of those, by name, without ``Replaced/migration``.
    package var replacedKinds: [String: Replaced] {
        get { replacedOfKind ?? [:] }
        set {
            let kinds = newValue.filter { $1 != .migration && replaces.contains($0) }
            replacedOfKind = kinds.isEmpty ? nil : kinds
        }
    }
    /// What was changed in the row by hand, the latest last.
    package var corrections: [LedgerCorrection] {
        get { corrected ?? [] }
        set { corrected = newValue.isEmpty ? nil : newValue }
    }
    /// Whether the work that the migration does after the commit still has to succeed.
    public var isWorkPending: Bool {
        get { hasWork == true }
        set { hasWork = newValue ? true : nil }
    }
    /// Data of a later release of Molt, as JSON; this release preserves it without reading it.
    package var extra: String?
    /// What releases that do not know the migration may do with the store; see ``Migration/olderReleases(may:)``.
    public package(set) var olderReleases: Migration.Access {
        get { writable == true && readable ? .write : readable ? .read : .nothing }
        set { (readable, writable) = (newValue >= .read, newValue == .write ? true : nil) }
    }

    /// What an older release needs to know of a migration that another one replaces.
    package enum Replaced: Int, Hashable, Sendable, Codable, CaseIterable {
        /// Releases that do not have it cannot read the store after it.
        case migration
        /// It declares ``Migration/olderReleases(may:)``.
        case readable
        /// It declares ``Migration/olderReleases(may:)``.
        case writable
        /// It replaces others itself, which are listed, too.
        case replacement

        /// Decodes a kind; one that only a later release knows says nothing to this one.
        package init(from decoder: any Decoder) throws {
            self = Replaced(rawValue: try decoder.singleValueContainer().decode(Int.self)) ?? .migration
        }

        /// The word in fixtures.
        package var name: String {
            switch self {
            case .migration: "migration"
            case .readable: "readable"
            case .writable: "writable"
            case .replacement: "replacement"
            }
        }
    }

    // Nil for false and for none: most rows have neither, and a suite keeps them as JSON.
    private var replacedOfKind: [String: Replaced]?
    private var readable = false
    private var writable: Bool?
    private var hasWork: Bool?
    private var corrected: [LedgerCorrection]?

    private enum CodingKeys: String, CodingKey {
        case name, version, outcome, appliedAt, duration, counts, attachedCounts, appVersion, moltVersion, fingerprint
        case replaces, extra
        case readable = "isReadableByOlderReleases"
        case replacedOfKind = "replacedKinds"
        case writable = "isWritableByOlderReleases"
        case hasWork = "isWorkPending"
        case corrected = "corrections"
    }

    /// Creates a row.
    ///
    /// - Parameter moltVersion: The version of Molt that ran it; this one by default.
    package init(name: String, version: Int, outcome: Outcome = .ran, appliedAt: Date, moltVersion: String? = nil) {
        self.name = name
        self.version = version
        self.outcome = outcome
        self.appliedAt = appliedAt
        self.moltVersion = moltVersion ?? MoltRelease.version
    }
}

extension LedgerEntry {
    var id: MigrationID { MigrationID(name: name, version: version) }

    /// Whether the migration did what those do that it replaces.
    package var isReplacing: Bool { outcome.isApplied && outcome != .replaced && !replaces.isEmpty }

    /// The row as a release sees it that has some migrations; nil if it knows what the migration did.
    ///
    /// It knows a replacement if it has all that this one replaces. Otherwise, only what it lacks matters.
    func unknown(to known: Set<String>) -> LedgerEntry? {
        guard !known.contains(name) else { return nil }
        // Some records may not have been through a migration on read.
        guard !replaces.isEmpty, outcome != .onRead else { return self }
        let missing = replaces.filter { !known.contains($0) }.map { replacedKinds[$0] ?? .migration }
            .filter { $0 != .replacement }
        guard !missing.isEmpty else { return nil }
        var row = self
        if !missing.contains(.migration) {
            row.olderReleases = max(row.olderReleases, missing.allSatisfy { $0 == .writable } ? .write : .read)
        }
        return row
    }

    /// Whether an earlier row goes when this one is added: that of a migration which it replaces, if that one waits or
    /// has its name.
    func replacesRow(_ row: LedgerEntry) -> Bool {
        guard outcome.isApplied, replaces.contains(row.name) else { return false }
        return row.name == name ? row.version < version : row.outcome == .deferred
    }
}

extension LedgerEntry: CustomStringConvertible {
    /// The migration, its outcome, the time, and the counts, in one line.
    public var description: String {
        let time = outcome == .ran ? " in \(DisplayText.seconds(duration))" : ""
        let app = appVersion.isEmpty ? nil : "by \(ErrorSummary.oneLine(appVersion))"
        let since = outcome == .onRead ? ", since" : [.replaced, .baseline].contains(outcome) ? "," : ""
        let run = [
            "\(outcome.text)\(since) \(DisplayText.time(appliedAt))\(time)", counts.isZero ? nil : counts.summary, app,
        ]
        // The corrections say when a row was marked.
        let isMarked = [.marked, .unmarked].contains(outcome) && !corrections.isEmpty
        let parts = (isMarked ? [] : run) + corrections.map(\.description)
        let work = isWorkPending ? "with work after the commit still to be done" : nil
        let list = (parts + [work]).compactMap(\.self).joined(separator: ", ")
        return "\(MigrationID(name: name, version: version)): \(list)"
    }
}

extension LedgerEntry.Outcome {
    package var text: String {
        switch self {
        case .ran: "ran"
        case .createdAtVersion: "applied on a new store"
        case .replaced: "counts as applied, because all that it replaces are"
        case .onRead: "upgrades records when they are read"
        case .baseline: "counts as applied, by `baseline`"
        case .marked: "marked as applied"
        case .deferred: "waits"
        case .unmarked: "marked as pending"
        }
    }
}

/// The release of Molt that this code belongs to.
package enum MoltRelease {
    /// The version, which is written into each ledger row.
    package static let version = "0.1.0"
}
