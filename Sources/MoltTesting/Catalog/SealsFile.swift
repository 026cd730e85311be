internal import Molt

/// The content of the file `seals.json`: what has shipped with each sealed version.
struct SealsFile: VersionsFile {
    /// The seals by version.
    ///
    /// A version below a sealed one that has none had nothing to seal.
    var versions: [Int: Seal] = [:]

    /// The format that this release writes, and the newest that it reads.
    static let format = 1

    static let subject = "seals"
    static let conflictAdvice =
        "\(FixtureText.conflict) Remove them, and keep all versions of both sides; of a version that both have sealed, keep "
        + "the one that has shipped. Then: \(RecordingMode.never.command)"

    /// The newest sealed version; nil if none is.
    var newest: Int? { versions.keys.max() }

    /// The digest of each sealed file, by path.
    var files: [String: String] {
        versions.values.reduce(into: [:]) { $0.merge($1.files) { _, new in new } }
    }

    /// The migrations of the newest sealed release, and those that it had before.
    var ledger: [LedgerEntry] { ledger(of: .max) }

    /// The migrations of the release of a version, and those that its predecessors had.
    func ledger(of version: Int) -> [LedgerEntry] {
        versions.sorted { $0.key < $1.key }.filter { $0.key <= version }.flatMap { $0.value.migrations }.map(\.entry)
    }
}

extension SealsFile {
    private enum CodingKeys: String, CodingKey { case format, versions }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // The format is checked first, because a newer one may have other seals.
        let found = try container.decodeIfPresent(Int.self, forKey: .format) ?? Self.format
        guard found == Self.format else {
            guard found > Self.format else {
                throw DecodingError.dataCorruptedError(
                    forKey: .format,
                    in: container,
                    debugDescription: "There is no such format: \(found)."
                )
            }
            throw TestingError(
                .malformedFixture,
                "It has seals of format \(found); this release of Molt reads \(Self.format). Update Molt."
            )
        }
        versions = try container.decode([Int: Seal].self, forKey: .versions)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.format, forKey: .format)
        try container.encode(versions, forKey: .versions)
    }
}

/// What has shipped with a version.
struct Seal: Codable, Equatable {
    /// The digests of the files that belong to the version, by path.
    var files: [String: String] = [:]
    /// The digests of the recorded shapes of the version, by name.
    var types: [String: String] = [:]
    /// The migrations that no earlier sealed release had, in order.
    var migrations: [SealedMigration] = []

    private enum CodingKeys: String, CodingKey { case files, types, migrations }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        files = try container.decodeIfPresent([String: String].self, forKey: .files) ?? [:]
        types = try container.decodeIfPresent([String: String].self, forKey: .types) ?? [:]
        migrations = try container.decodeIfPresent([SealedMigration].self, forKey: .migrations) ?? []
    }

    /// Leaves out what is empty.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !files.isEmpty { try container.encode(files, forKey: .files) }
        if !types.isEmpty { try container.encode(types, forKey: .types) }
        if !migrations.isEmpty { try container.encode(migrations, forKey: .migrations) }
    }
}

/// A migration that has shipped, as the ledgers of stores in the field have it.
struct SealedMigration: Codable, Equatable {
    private let name: String
    private let version: Int
    /// Nil if it is not known.
    private let fingerprint: String?
    /// What the migration declares with ``Migration/olderReleases(may:)``; nil for nothing.
    private let olderReleasesMay: String?
    /// What older releases need to know of the migrations that it replaces, by name; nil if it replaces none.
    private let replaces: [String: String]?

    init(_ entry: LedgerEntry) {
        name = entry.name
        version = entry.version
        fingerprint = entry.fingerprint
        olderReleasesMay =
            switch entry.olderReleases {
            case .nothing: nil
            case .read: "read"
            case .write: "write"
            }
        let kinds = entry.replaces.map { ($0, (entry.replacedKinds[$0] ?? .migration).name) }
        replaces = kinds.isEmpty ? nil : Dictionary(kinds) { first, _ in first }
    }

    /// The row of a store that has been through the migration.
    var entry: LedgerEntry {
        var entry = LedgerEntry(name: name, version: version, appliedAt: .neverApplied, moltVersion: "")
        entry.fingerprint = fingerprint
        entry.olderReleases =
            switch olderReleasesMay {
            case "read": .read
            case "write": .write
            default: .nothing
            }
        entry.replaces = (replaces ?? [:]).keys.sorted()
        entry.replacedKinds = (replaces ?? [:]).compactMapValues { name in
            LedgerEntry.Replaced.allCases.first { $0.name == name }
        }
        return entry
    }
}
