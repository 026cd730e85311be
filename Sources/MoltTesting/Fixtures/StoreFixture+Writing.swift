public import Foundation
internal import Molt

extension StoreFixture {
    /// The text of the fixture's file, which is deterministic.
    ///
    /// Reading it restores the fixture, each record byte for byte. Empty ledger values are left out; see
    /// ``withoutTimes()``.
    public var json: String { json(with: []) }

    func json(with additions: [(name: String, value: String)]) -> String {
        var members: [(name: String, value: JSONText?)] = [("format", .integer(Self.format))]
        members += additions.map { ($0.name, .string($0.value)) }
        members += [
            ("schemaVersion", .integer(version)),
            ("primary", primaryJSON),
            ("ledger", ledger.isEmpty ? nil : .array(ledger.map(Self.json))),
            ("records", records.isEmpty ? nil : .array(records.map(Self.json))),
            ("suites", suites.isEmpty ? nil : Self.json(suites)),
        ]
        let text = Array(JSONText.object(members).text.utf8)
        return String(decoding: JSONLayout.indented(text), as: UTF8.self) + "\n"
    }

    /// Writes the fixture's file.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - overwriting: Whether an existing file may be replaced; false by default, because the fixture of a shipped
    ///     release must not change.
    /// - Throws: ``TestingError`` if the file exists, or cannot be written.
    public func write(to url: URL, overwriting: Bool = false) throws {
        do {
            try Data(json.utf8).write(to: url, options: overwriting ? .atomic : .withoutOverwriting)
        } catch CocoaError.fileWriteFileExists {
            throw TestingError(
                .fileExists,
                "The file exists already. Choose another name, or pass `overwriting: true` if it may be replaced.",
                file: url
            )
        } catch {
            throw TestingError(.unwritable, "The fixture cannot be written.", file: url, underlying: error)
        }
    }

    /// The fixture without the ledger's values that differ in each run, for files that are compared.
    ///
    /// Times, durations, counts, corrections and the versions of the app and of Molt are left out. Names, versions,
    /// outcomes, fingerprints and the counts of suites stay, because later upgrades use them.
    public func withoutTimes() -> StoreFixture {
        var fixture = self
        fixture.ledger = ledger.map { entry in
            var row = LedgerEntry(
                name: entry.name,
                version: entry.version,
                outcome: entry.outcome,
                appliedAt: .neverApplied,
                moltVersion: ""
            )
            row.attachedCounts = entry.attachedCounts
            row.fingerprint = entry.fingerprint
            row.olderReleases = entry.olderReleases
            row.replaces = entry.replaces
            row.replacedKinds = entry.replacedKinds
            return row
        }
        return fixture
    }

    // MARK: Parts

    /// Nil for a cache, the default.
    private var primaryJSON: JSONText? {
        guard case .suite(let suite) = primary else { return nil }
        return .string(suite.attachedName)
    }

    private static func json(_ entry: LedgerEntry) -> JSONText {
        let counts = MigrationReport.Counts.names.map { (key: $0.name, value: entry.counts[keyPath: $0.count]) }
        return .object([
            ("name", .string(entry.name)),
            ("version", .integer(entry.version)),
            ("fingerprint", entry.fingerprint.map(JSONText.string)),
            ("isReadableByOlderReleases", entry.olderReleases >= .read ? .bool(true) : nil),
            ("isWritableByOlderReleases", entry.olderReleases == .write ? .bool(true) : nil),
            ("replaces", entry.replaces.isEmpty ? nil : kinds(replacedBy: entry)),
            ("outcome", entry.outcome == .ran ? nil : .string(entry.outcome.rawValue)),
            ("attachedCounts", json(entry.attachedCounts.sorted { $0.key.utf8Precedes($1.key) })),
            ("appliedAt", entry.appliedAt == .neverApplied ? nil : .date(entry.appliedAt)),
            ("duration", entry.duration == 0 ? nil : .double(entry.duration)),
            ("counts", json(counts.filter { $0.value != 0 })),
            ("appVersion", entry.appVersion.isEmpty ? nil : .string(entry.appVersion)),
            ("moltVersion", entry.moltVersion.isEmpty ? nil : .string(entry.moltVersion)),
            ("corrections", entry.corrections.isEmpty ? nil : .array(entry.corrections.map(json))),
        ])
    }

    private static func kinds(replacedBy entry: LedgerEntry) -> JSONText {
        let names = entry.replaces.sorted { $0.utf8Precedes($1) }
        let members: [(String, JSONText?)] = names.map { name in
            let kind = entry.replacedKinds[name] ?? .migration
            return (name, .string(kind.name))
        }
        return .object(members)
    }

    private static func json(_ correction: LedgerCorrection) -> JSONText {
        .object([
            ("kind", .string(correction.kind.rawValue)),
            ("reason", .string(correction.reason)),
            ("date", .date(correction.date)),
            ("appVersion", correction.appVersion.isEmpty ? nil : .string(correction.appVersion)),
        ])
    }

    /// Counts by name; nil if there are none.
    private static func json(_ counts: [(key: String, value: Int)]) -> JSONText? {
        counts.isEmpty ? nil : .object(counts.map { ($0.key, .integer($0.value)) })
    }

    private static func json(_ record: Record) -> JSONText {
        .object([
            ("key", .string(record.key)),
            ("type", .string(record.typeName)),
            ("expires", record.expiration.map(JSONText.date)),
            ("version", record.version.map { .integer($0) }),
            member(record.content),
        ])
    }

    private static func member(_ content: Content) -> (name: String, value: JSONText?) {
        guard !content.isData else { return ("data", .base64(Data(content.bytes))) }
        guard let text = String(utf8: content.bytes) else {
            return ("bytes", .base64(Data(content.bytes)))
        }
        return JSONText(inlining: content.bytes).map { ("content", $0) } ?? ("text", .string(text))
    }

    private static func json(_ suites: [Suite: [String: PropertyListValue]]) -> JSONText {
        let sorted = suites.sorted { $0.key.attachedName.utf8Precedes($1.key.attachedName) }
        return .object(sorted.map { ($0.key.attachedName, PropertyListValue.json($0.value)) })
    }
}
