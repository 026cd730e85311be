public import Foundation
internal import Molt

/// The JSON file format of fixtures, which can be written by hand and compared line by line.
///
/// ```json
/// {
///   "format": 1,
///   "schemaVersion": 2,
///   "primary": "cache",
///   "ledger": [
///     {"name": "alien-becomes-person", "version": 2, "fingerprint": "…", "outcome": "ran"}
///   ],
///   "records": [
///     {
///       "key": "john",
///       "type": "Person",
///       "expires": 1790000000.5,
///       "version": 1,
///       "content": {"fullName": "John Appleseed", "age": 18446744073709551615}
///     },
///     {"key": "photo", "type": "Data", "data": "AAEC"},
///     {"key": "spaced", "type": "Person", "text": "{ \"a\" : 1 }"},
///     {"key": "damaged", "type": "Person", "bytes": "/w=="}
///   ],
///   "suites": {
///     "standard": {"theme": "dark", "count": {"int": 1}, "profile": {"jsonText": {"email": "ada@example.com"}}},
///     "suite group.com.example": {"since": {"date": 0}}
///   }
/// }
/// ```
///
/// - `primary` is `cache` (the default), `standard`, or `suite` and a name. The keys of `suites` have the same form,
///   without `cache`.
/// - An entry of `ledger` requires a name and a version. The outcome is `ran` by default. `fingerprint`,
///   `attachedCounts`, `appliedAt`, `duration` (seconds), `counts`, `appVersion`, `moltVersion` and `corrections` are
///   optional, and so is `replaces`, which has `migration`, `readable`, `writable` (what it declared about older
///   releases) or `replacement` by the name of each migration that this one replaced. A correction has a `kind`
///   (`markedApplied`, `markedPending` or `acceptedEdit`), a `reason`, a `date` and, optionally, an `appVersion`.
/// - A record has one of four content members. `content` is JSON, stored without the white space between its tokens and
///   otherwise byte for byte. `text` is a string stored byte for byte, even if it is not JSON. `bytes` is the same in
///   Base64, for content that is not UTF-8. `data` is raw data in Base64.
/// - `expires`, `appliedAt` and `date` are seconds since 1970. A record without `expires` never expires. Its `version`
///   is the schema version by default.
/// - Settings have the typed encoding of `PropertyListValue`: strings, Booleans and arrays as such, any other value an
///   object with one member: `int`, `unsigned`, `double`, `date` (seconds since 2001), `data` (Base64), `dictionary`.
///   A JSON object or array is `json` where the suite holds it as data, and `jsonText` where it holds it as a string;
///   either is stored without the white space between its tokens.
/// - Infinities and NaN are the strings `inf`, `-inf` and `nan`.
///
/// Unknown and duplicate names are errors.
extension StoreFixture {
    /// The format that this release writes, and the newest that it reads.
    static let format = 1

    /// Reads a fixture from its file.
    ///
    /// ```swift
    /// let fixture = try StoreFixture(contentsOf: fixtures.appending(path: "v1.json"))
    /// ```
    ///
    /// - Throws: ``TestingError`` if the file cannot be read or is not a fixture, with the place and the expected
    ///   value.
    public init(contentsOf url: URL) throws {
        try self.init(FixtureText(contentsOf: url).root())
    }

    /// Parses a fixture.
    ///
    /// - Parameters:
    ///   - text: The content of a fixture file.
    ///   - file: The file's URL for errors.
    /// - Throws: ``TestingError`` if it is not a fixture.
    public init(json text: String, file: URL? = nil) throws {
        try self.init(json: Data(text.utf8), file: file)
    }

    /// Parses a fixture from UTF-8 data.
    ///
    /// - Parameters:
    ///   - data: The content of a fixture file.
    ///   - file: The file's URL for errors.
    /// - Throws: ``TestingError`` if it is not a fixture.
    public init(json data: Data, file: URL? = nil) throws {
        try self.init(FixtureText(data, file: file).root())
    }

    /// Parses a fixture that may have additional members.
    init(_ root: FixtureNode, alsoKnown: [String] = []) throws {
        let known = ["format", "schemaVersion", "primary", "ledger", "records", "suites"] + alsoKnown
        // The format is checked before the names, because a newer format may have additional names.
        try Self.checkFormat(root)
        let object = try root.object("an object", known: known)
        self.init(
            primary: try object["primary"].map(Self.primary) ?? .cache,
            version: try object.required("schemaVersion").count("the store's version, 0 or more"),
            ledger: try object["ledger"].map(Self.ledger) ?? [],
            records: try object["records"].map(Self.records) ?? [],
            suites: try object["suites"].map(Self.suites) ?? [:]
        )
        if case .suite = primary, !records.isEmpty, let node = object["records"] {
            throw node.failure("A suite has no records. Remove them, or write \"primary\": \"cache\".")
        }
    }

    private static func checkFormat(_ root: FixtureNode) throws {
        let members = try root.members("an object with the members format and schemaVersion")
        guard let node = members.first(where: { $0.name == "format" })?.value else {
            throw root.failure("The member \"format\" is missing. Write \"format\": \(format).")
        }
        let found = try node.integer("\(format)", as: Int.self)
        guard found <= format else {
            throw node.failure("It is a fixture of format \(found); this release of Molt reads \(format). Update Molt.")
        }
        guard found == format else { throw node.failure("There is no such format: \(found). Write \(format).") }
    }

    // MARK: Suites

    private static func primary(_ node: FixtureNode) throws -> Primary {
        let expected = "\"cache\", \"standard\", or \"suite\", a space and a name"
        let text = try node.string(expected)
        if text == "cache" { return .cache }
        guard let suite = suite(attachedName: text) else { throw node.failure("It is \"\(text)\". Write \(expected).") }
        return .suite(suite)
    }

    private static func suites(_ node: FixtureNode) throws -> [Suite: [String: PropertyListValue]] {
        var suites: [Suite: [String: PropertyListValue]] = [:]
        for (name, value) in try node.members("an object with settings by their suites") {
            guard let suite = suite(attachedName: name) else {
                throw value.failure("It names no suite. Write \"standard\", or \"suite\", a space and a name.")
            }
            suites[suite] = try PropertyListValue.dictionary(value)
        }
        return suites
    }

    private static func suite(attachedName: String) -> Suite? {
        if attachedName == "standard" { return .standard }
        let prefix = "suite ".utf8
        guard attachedName.utf8.starts(with: prefix), attachedName.utf8.count > prefix.count else { return nil }
        return Suite(String(decoding: attachedName.utf8.dropFirst(prefix.count), as: UTF8.self))
    }

    // MARK: Records

    private static func records(_ node: FixtureNode) throws -> [Record] {
        var records: [Record] = []
        var indices: [[UInt8]: Int] = [:]
        for element in try node.elements("an array of records") {
            let record = try record(element)
            if let other = indices.updateValue(records.count, forKey: Array(record.key.utf8)) {
                throw element.failure("The key \"\(record.key)\" is that of records[\(other)], too. Remove one.")
            }
            records.append(record)
        }
        return records
    }

    private static func record(_ node: FixtureNode) throws -> Record {
        let forms = ["content", "data", "text", "bytes"]
        let object = try node.object(
            "an object with key, type and content",
            known: ["key", "type", "expires", "version"] + forms
        )
        let found = forms.filter { object[$0] != nil }
        guard found.count == 1, let form = object[found[0]] else {
            throw node.failure(
                found.isEmpty
                    ? "The record has no content. Write one of \(forms.joined(separator: ", "))."
                    : "The record has \(found.joined(separator: " and ")). Write one of them."
            )
        }
        let content: Content =
            switch found[0] {
            case "content": Content(bytes: JSONLayout.minified(form.part.utf8), isData: false)
            case "text": .json(try form.string("JSON text as a string"))
            case "bytes": Content(bytes: Array(try form.base64()), isData: false)
            default: .data(try form.base64())
            }
        return Record(
            try object.required("key").string("the key, a string"),
            try object.required("type").string("the name of the type, a string"),
            content,
            expiration: try object["expires"]?.date(),
            version: try object["version"]?.count("the schema version that it was written at, 0 or more")
        )
    }

    // MARK: Ledger

    private static func ledger(_ node: FixtureNode) throws -> [LedgerEntry] {
        var entries: [LedgerEntry] = []
        for element in try node.elements("an array of migrations") {
            let entry = try entry(element)
            if let other = entries.firstIndex(where: { $0.name == entry.name }) {
                throw element.failure("The migration \"\(entry.name)\" is ledger[\(other)], too. Remove one.")
            }
            entries.append(entry)
        }
        return entries
    }

    private static func entry(_ node: FixtureNode) throws -> LedgerEntry {
        let object = try node.object(
            "an object with name and version",
            known: [
                "name", "version", "outcome", "fingerprint", "attachedCounts", "appliedAt", "duration", "counts",
                "appVersion", "moltVersion", "corrections", "replaces", "isReadableByOlderReleases",
                "isWritableByOlderReleases",
            ]
        )
        let replaced = try object["replaces"].map(replaced) ?? [:]
        var entry = LedgerEntry(
            name: try object.required("name").filledString("the migration's name, a string"),
            version: try object.required("version").count("the migration's version, 0 or more"),
            outcome: try object["outcome"].map(outcome) ?? .ran,
            appliedAt: try object["appliedAt"]?.date() ?? .neverApplied,
            moltVersion: try object["moltVersion"]?.string("a string") ?? ""
        )
        entry.duration = try object["duration"]?.double("seconds, a number") ?? 0
        entry.counts = try object["counts"].map(counts) ?? MigrationReport.Counts()
        entry.attachedCounts = try object["attachedCounts"].map(attachedCounts) ?? [:]
        entry.appVersion = try object["appVersion"]?.string("a string") ?? ""
        entry.fingerprint = try object["fingerprint"]?.string("the migration's fingerprint, a string")
        entry.corrections = try object["corrections"]?.elements("an array of corrections").map(correction) ?? []
        entry.olderReleases = try access(object)
        entry.replaces = replaced.keys.sorted()
        entry.replacedKinds = replaced
        return entry
    }

    private static func access(_ object: FixtureObject) throws -> Migration.Access {
        if try object["isWritableByOlderReleases"]?.bool("true or false") == true { return .write }
        return try object["isReadableByOlderReleases"]?.bool("true or false") == true ? .read : .nothing
    }

    private static func replaced(_ node: FixtureNode) throws -> [String: LedgerEntry.Replaced] {
        let kinds = LedgerEntry.Replaced.allCases
        let expected = kinds.map { "\"\($0.name)\"" }.joined(separator: ", ")
        return try node.members("an object with a word by the name of each replaced migration").reduce(into: [:]) {
            let text = try $1.value.string(expected)
            guard let kind = kinds.first(where: { $0.name == text }) else {
                throw $1.value.failure("\"\(text)\" says nothing about a replaced migration. Write one of \(expected).")
            }
            $0[$1.name] = kind
        }
    }

    private static func correction(_ node: FixtureNode) throws -> LedgerCorrection {
        let object = try node.object(
            "an object with kind, reason and date",
            known: ["kind", "reason", "date", "appVersion"]
        )
        let expected = "\"markedApplied\", \"markedPending\" or \"acceptedEdit\""
        let node = try object.required("kind")
        let text = try node.string(expected)
        guard let kind = LedgerCorrection.Kind(rawValue: text) else {
            throw node.failure("\"\(text)\" is not a correction. Write \(expected).")
        }
        return LedgerCorrection(
            kind,
            reason: try object.required("reason").string("the reason, a string"),
            date: try object.required("date").date(),
            appVersion: try object["appVersion"]?.string("a string") ?? ""
        )
    }

    private static func outcome(_ node: FixtureNode) throws -> LedgerEntry.Outcome {
        let expected =
            "\"ran\", \"bornFresh\", \"replaced\", \"deferred\", \"onRead\", \"baseline\", \"marked\" or \"unmarked\""
        let text = try node.string(expected)
        guard let outcome = LedgerEntry.Outcome(rawValue: text) else {
            throw node.failure("\"\(text)\" is not an outcome. Write \(expected).")
        }
        return outcome
    }

    private static func counts(_ node: FixtureNode) throws -> MigrationReport.Counts {
        let object = try node.object("an object with counts", known: MigrationReport.Counts.names.map(\.name))
        var counts = MigrationReport.Counts()
        for (name, count) in MigrationReport.Counts.names {
            counts[keyPath: count] = try object[name]?.count("a count, 0 or more") ?? 0
        }
        return counts
    }

    private static func attachedCounts(_ node: FixtureNode) throws -> [String: Int] {
        let members = try node.members("an object with counts by the names of suites")
        return Dictionary(try members.map { ($0.name, try $0.value.count("a count, 0 or more")) }) { first, _ in first }
    }
}

extension MigrationReport.Counts {
    static var names: [(name: String, count: WritableKeyPath<MigrationReport.Counts, Int>)] {
        [
            ("read", \.read), ("changed", \.changed), ("dropped", \.dropped), ("created", \.created),
            ("quarantined", \.quarantined),
        ]
    }
}

extension Date {
    /// The default of `appliedAt`.
    static var neverApplied: Date { Date(timeIntervalSince1970: 0) }
}
