internal import Foundation

/// The migrations that a suite's settings have been through, kept with them as a JSON string under one key.
///
/// It is the truth about the suite: a migration changes a suite whose ledger lacks it, and no other, whatever store the
/// upgrade began at.
package struct SuiteLedger: Codable {
    /// The format that this release writes.
    private static let format = 2

    private var format = Self.format
    /// The oldest format that a release must know to read the ledger, if lower than `format`.
    private var readerFormat: Int?
    /// The highest version of a row.
    private(set) var version: Int
    private(set) var rows: [Row]
    /// The identifiers of the latest imports into the suite; nil for none.
    private var imports: [String]?
    /// Tells the suite from others, also from that of the same name on another device; nil if it was never upgraded.
    private var identifier: String?

    init(version: Int = 0, rows: [Row] = []) {
        self.version = version
        self.rows = rows
    }

    /// The ledger of a suite of which only a store's file says what it has been through.
    init(of rows: [Row]) {
        self.init(version: rows.map(\.entry.version).max() ?? 0, rows: rows)
    }

    /// The ledger of a suite that has lost it, and with it what was imported.
    ///
    /// - Parameter names: The migrations that do not count.
    func recovered(without names: Set<String> = []) -> SuiteLedger {
        var ledger = self
        ledger.imports = nil
        guard !names.isEmpty else { return ledger }
        ledger.rows.removeAll { names.contains($0.entry.name) }
        ledger.version = ledger.rows.map(\.entry.version).max() ?? 0
        return ledger
    }

    /// The ledger with the identifier of another one of the same suite, or with a new one, unless it has one.
    func identified(as other: SuiteLedger?) -> SuiteLedger {
        var ledger = self
        ledger.identifier = identifier ?? other?.identifier ?? UUID().uuidString
        return ledger
    }

    /// The ledger of the same suite before its first migration.
    var emptied: SuiteLedger {
        var ledger = SuiteLedger()
        ledger.identifier = identifier
        return ledger
    }

    /// Whether both are of the same suite, as far as is known: a fixture's ledger says nothing.
    func isOfSameSuite(as other: SuiteLedger) -> Bool {
        guard let identifier, let other = other.identifier else { return true }
        return identifier == other
    }

    /// Decodes a ledger.
    ///
    /// - Throws: ``MoltError`` with the code `newerFormat` or `unreadable`, before any other member is decoded.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: MemberName.self)
        format = try members.value("format")
        readerFormat = try members.valueIfPresent("readerFormat")
        guard format >= Self.format else { throw Self.older(format) }
        guard (1...Self.format).contains(readerFormat ?? format) else { throw Self.newer(format, "reads") }
        version = try members.value("version")
        rows = try Rows(from: decoder).rows
        imports = try members.valueIfPresent("imports")
        identifier = try members.valueIfPresent("identifier")
    }

    package func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "format": format, "readerFormat": readerFormat, "version": version, "imports": imports,
            "identifier": identifier,
        ])
        try Rows(rows).encode(to: encoder)
    }

    /// The ledger among a suite's values; nil if it has none.
    ///
    /// - Throws: ``MoltError`` with the code `unreadable` or `newerFormat`.
    init?(in values: [String: PropertyListValue], of suite: Suite) throws {
        guard let stored = values[Suite.ledgerKey] else { return nil }
        do {
            guard case .string(let text) = stored else { throw CocoaError(.coderReadCorrupt) }
            self = try JSONDecoder().decode(Self.self, fromStored: Data(text.utf8))
        } catch let error as MoltError {
            throw error.at(key: Suite.ledgerKey).of(suite: suite)
        } catch {
            throw MoltError(
                .settingUnreadable,
                "The key \"\(Suite.ledgerKey)\" of \(suite) does not hold a ledger of Molt. Something else may have "
                    + "written it.",
                advice: Self.adviceWithoutLedger,
                store: suite.domainName,
                key: Suite.ledgerKey,
                underlying: error
            )
        }
    }

    /// Checks that this release can write the ledger's format; a newer format may be readable but not writable.
    ///
    /// - Throws: ``MoltError`` with the code `newerFormat`.
    func checkWritable(in suite: Suite) throws {
        if format > Self.format { throw Self.newer(format, "writes").at(key: Suite.ledgerKey).of(suite: suite) }
    }

    private static let adviceWithoutLedger =
        "Remove the key, and declare with `baseline` the version that the settings have."

    private static func older(_ format: Int) -> MoltError {
        MoltError(
            .settingUnreadable,
            "The ledger has the format \(format), which only builds of Molt before its first release wrote.",
            advice: adviceWithoutLedger
        )
    }

    private static func newer(_ format: Int, _ verb: String) -> MoltError {
        MoltError(
            .newerFormat,
            "The ledger has the format \(format), and this release of Molt \(verb) formats up to \(Self.format).",
            advice: "Update the app."
        )
    }

    func stored() throws -> PropertyListValue {
        let json = try JSONEncoder([.sortedKeys, .withoutEscapingSlashes]).encode(self)
        return .string(String(decoding: json, as: UTF8.self))
    }

    // MARK: Rows

    /// What the suite has been through, whatever registry has applied it.
    var history: History { History(rows) }

    /// Adds rows; those of migrations that were not applied are replaced.
    func adding(_ added: [Row]) -> SuiteLedger {
        let names = Set(added.map(\.entry.name))
        var ledger = self
        let replaced = rows.filter { names.contains($0.entry.name) }
        ledger.rows.removeAll { row in
            added.contains { $0.entry.replacesRow(row.entry) }
                || !row.entry.outcome.isApplied && names.contains(row.entry.name)
        }
        let existing = Set(ledger.rows.map(\.entry.name))
        let new = added.filter { !existing.contains($0.entry.name) }.map { row in
            var row = row
            let earlier = replaced.first { $0.entry.name == row.entry.name }?.entry
            row.entry.extra = row.entry.extra ?? earlier?.extra
            row.entry.corrections = (earlier?.corrections ?? []) + row.entry.corrections
            return row
        }
        ledger.rows.append(sharing: new)
        ledger.version = max(version, added.map(\.entry.version).max() ?? 0)
        return ledger
    }

    /// Puts rows that were corrected by hand in the place of those of the same migrations, or adds them.
    ///
    /// A row that was corrected in the meantime stays, and so does that of a migration that ran in the meantime.
    ///
    /// - Returns: Nil if all stay.
    func correcting(_ corrected: [Row]) -> SuiteLedger? {
        var ledger = self
        for row in corrected {
            guard let index = rows.firstIndex(where: { $0.entry.name == row.entry.name }) else {
                ledger.rows.append(sharing: [row])
                continue
            }
            let current = rows[index].entry
            let isUnchanged = current.corrections.count < row.entry.corrections.count
            guard isUnchanged, row.entry.outcome != .marked || !current.outcome.isApplied else { continue }
            ledger.rows[index] = row
        }
        guard ledger.rows != rows else { return nil }
        ledger.version = max(version, corrected.map(\.entry.version).max() ?? 0)
        return ledger
    }

    // MARK: Imports

    /// Whether the suite has the values of an import, unless the app has changed them since.
    func hasImport(_ id: String) -> Bool { imports?.contains(id) == true }

    /// Notes an import; only those whose journals may be left need to be known.
    mutating func add(import id: String) {
        imports = (imports ?? []).suffix(3) + [id]
    }
}

extension Suite {
    /// The key under which a suite keeps its ledger.
    package static let ledgerKey = "molt.ledger"

    /// The keys reserved for Molt, which steps do not see.
    static let reservedKeys: Set<String> = [ledgerKey]

    /// The suite's ledger; nil if no migration has changed it.
    func ledger() throws -> SuiteLedger? {
        try SuiteSnapshot(self).ledger
    }
}

extension MoltError {
    package func of(suite: Suite) -> MoltError {
        var error = self
        error.store = suite.domainName
        return error
    }

    static func ownKey(_ key: String, in suite: Suite) -> MoltError {
        MoltError(
            .cannotStore,
            "The key \"\(key)\" is reserved by Molt.",
            advice: "Choose another one.",
            store: suite.domainName,
            key: key
        )
    }
}

extension [String: PropertyListValue] {
    /// The settings without those under ``Suite/reservedKeys``.
    @inline(never)
    var withoutReservedKeys: Self { filter { !Suite.reservedKeys.contains($0.key) } }
}
