public import Foundation
internal import MoltCore
internal import MoltDefaults

extension StoreFixture {
    /// The text of the fixture's file, which is deterministic.
    ///
    /// Reading it restores the fixture, each record byte for byte. Empty ledger values are left out; see
    /// ``withoutTimes()``.
    public var json: String { json(with: []) }

    func json(with members: [(name: String, value: String)]) -> String {
        var writer = FixtureWriter()
        writer.object { writer in
            writer.name("format")
            writer.integer(Self.format)
            for (name, value) in members {
                writer.name(name)
                writer.string(value)
            }
            writer.name("schemaVersion")
            writer.integer(schemaVersion)
            if case .suite(let suite) = primary {
                writer.name("primary")
                writer.string(suite.attachedName)
            }
            if !ledger.isEmpty {
                writer.name("ledger")
                writer.array { writer in
                    for entry in ledger { Self.write(entry, to: &writer) }
                }
            }
            if !records.isEmpty {
                writer.name("records")
                writer.array { writer in
                    for record in records { Self.write(record, to: &writer) }
                }
            }
            if !suites.isEmpty {
                writer.name("suites")
                writer.object { writer in write(suites, to: &writer) }
            }
        }
        return String(decoding: JSONLayout.indented(writer.bytes), as: UTF8.self) + "\n"
    }

    /// Writes the fixture's file atomically.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - overwriting: Whether an existing file may be replaced; false by default, because the fixture of a shipped
    ///     release must not change.
    /// - Throws: ``TestingError`` with the code `fileExists` or `unwritable`.
    public func write(to url: URL, overwriting: Bool = false) throws {
        do {
            if overwriting {
                try Data(json.utf8).write(to: url, options: .atomic)
            } else {
                try writeNew(to: url)
            }
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

    private func writeNew(to url: URL) throws {
        guard !FileManager.default.fileExists(atPath: url.path) else { throw CocoaError(.fileWriteFileExists) }
        let temporary = url.deletingLastPathComponent()
            .appending(path: ".\(url.lastPathComponent).\(UUID().uuidString)", directoryHint: .notDirectory)
        // The file exists only after a failure, which is thrown anyway.
        defer { try? FileManager.default.removeItem(at: temporary) }
        try Data(json.utf8).write(to: temporary)
        // Fails if another process has created the file meanwhile.
        try FileManager.default.moveItem(at: temporary, to: url)
    }

    /// The fixture without the ledger's values that differ in each run, for files that are compared.
    ///
    /// Times, durations, counts and the versions of the app and of Molt are left out. Names, versions, outcomes,
    /// fingerprints and the counts of attached stores stay, because later upgrades use them.
    public func withoutTimes() -> StoreFixture {
        var fixture = self
        fixture.ledger = ledger.map { entry in
            LedgerEntry(
                name: entry.name,
                version: entry.version,
                outcome: entry.outcome,
                appliedAt: .neverApplied,
                attachedCounts: entry.attachedCounts,
                moltVersion: "",
                fingerprint: entry.fingerprint,
                isReadableByOlderReleases: entry.isReadableByOlderReleases
            )
        }
        return fixture
    }

    // MARK: Parts

    private static func write(_ entry: LedgerEntry, to writer: inout FixtureWriter) {
        writer.object { writer in
            writer.name("name")
            writer.string(entry.name)
            writer.name("version")
            writer.integer(entry.version)
            if let fingerprint = entry.fingerprint {
                writer.name("fingerprint")
                writer.string(fingerprint)
            }
            if entry.isReadableByOlderReleases {
                writer.name("isReadableByOlderReleases")
                writer.bool(true)
            }
            if entry.outcome != .ran {
                writer.name("outcome")
                writer.string(entry.outcome.rawValue)
            }
            if !entry.attachedCounts.isEmpty {
                writer.name("attachedCounts")
                write(entry.attachedCounts.sorted(by: { precedes($0.key, $1.key) }), to: &writer)
            }
            if entry.appliedAt != .neverApplied {
                writer.name("appliedAt")
                writer.date(entry.appliedAt)
            }
            if entry.duration != 0 {
                writer.name("duration")
                writer.double(entry.duration)
            }
            if !entry.counts.isZero {
                writer.name("counts")
                let counts = RecordCounts.names.map { (key: $0.name, value: entry.counts[keyPath: $0.count]) }
                write(counts.filter { $0.value != 0 }, to: &writer)
            }
            for (name, text) in [("appVersion", entry.appVersion), ("moltVersion", entry.moltVersion)]
            where !text.isEmpty {
                writer.name(name)
                writer.string(text)
            }
        }
    }

    private static func write(_ counts: [(key: String, value: Int)], to writer: inout FixtureWriter) {
        writer.object { writer in
            for (name, count) in counts {
                writer.name(name)
                writer.integer(count)
            }
        }
    }

    private static func write(_ record: Record, to writer: inout FixtureWriter) {
        writer.object { writer in
            writer.name("key")
            writer.string(record.key)
            writer.name("type")
            writer.string(record.typeName)
            if let expiration = record.expiration {
                writer.name("expires")
                writer.date(expiration)
            }
            if let version = record.version {
                writer.name("version")
                writer.integer(version)
            }
            write(record.content, to: &writer)
        }
    }

    private static func write(_ content: Content, to writer: inout FixtureWriter) {
        if content.isData {
            writer.name("data")
            writer.string(Data(content.bytes).base64EncodedString())
        } else if let text = String(validating: content.bytes, as: UTF8.self) {
            if canBeInlined(content.bytes, text) {
                writer.name("content")
                writer.raw(content.bytes)
            } else {
                writer.name("text")
                writer.string(text)
            }
        } else {
            writer.name("bytes")
            writer.string(Data(content.bytes).base64EncodedString())
        }
    }

    /// Whether the bytes can be written as indented JSON: reading restores them, and the nesting is not too deep.
    private static func canBeInlined(_ bytes: [UInt8], _ text: String) -> Bool {
        // The error's details do not matter here.
        (try? JSONPart(text)) != nil && JSONLayout.minified(bytes) == bytes && JSONLayout.nesting(of: bytes) <= 64
    }

    private func write(_ suites: [Suite: [String: PropertyListValue]], to writer: inout FixtureWriter) {
        for (suite, values) in suites.sorted(by: { Self.precedes($0.key.attachedName, $1.key.attachedName) }) {
            writer.name(suite.attachedName)
            PropertyListValue.write(values, to: &writer)
        }
    }

    /// Compares names by their bytes, independently of the locale.
    private static func precedes(_ name: String, _ other: String) -> Bool {
        name.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
