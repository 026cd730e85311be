public import Foundation
public import Molt

/// A store as a release left it, frozen at a version, as a value.
///
/// ```swift
/// let fixture = StoreFixture(
///     version: 1,
///     records: [.init("john", "Person", .json(#"{"fullName":"John Appleseed"}"#))],
///     suites: [.standard: ["theme": "dark"]]
/// )
/// let migrated = try fixture.migrated(through: migrations)
/// let john = try migrated.value(Person.self, forKey: "john")
/// ```
public struct StoreFixture: Equatable, Sendable {
    /// The kind of store that carries the schema version and the ledger.
    public enum Primary: Hashable, Sendable {
        /// A cache, in a file or in memory.
        case cache
        /// A suite without records, for an app that has settings but no cache.
        case suite(Suite)
    }

    /// The store that carries the schema version and the ledger; a cache by default.
    public var primary: Primary
    /// The schema version of the store.
    public var version: Int
    /// The migrations recorded as applied, in order.
    public package(set) var ledger: [LedgerEntry]
    /// The records, in the order they were added.
    public var records: [Record]
    /// The settings that migrations work on, by suite.
    public var suites: [Suite: [String: PropertyListValue]]

    /// Creates a fixture in code.
    ///
    /// ```swift
    /// StoreFixture(version: 1, applied: [MigrationID(name: "alien-becomes-person", version: 1)])
    /// ```
    ///
    /// - Parameters:
    ///   - primary: The store that carries the version and the ledger.
    ///   - version: The version of the store.
    ///   - applied: The migrations of its ledger, in order. Without any, an upgrade counts those up to the version as
    ///     applied.
    ///   - records: The records, in the order they were added.
    ///   - suites: The settings that migrations work on, by suite.
    public init(
        primary: Primary = .cache,
        version: Int,
        applied: [MigrationID] = [],
        records: [Record] = [],
        suites: [Suite: [String: PropertyListValue]] = [:]
    ) {
        let ledger = applied.map {
            LedgerEntry(name: $0.name, version: $0.version, appliedAt: .neverApplied, moltVersion: "")
        }
        self.init(primary: primary, version: version, ledger: ledger, records: records, suites: suites)
    }

    package init(
        primary: Primary = .cache,
        version: Int,
        ledger: [LedgerEntry],
        records: [Record] = [],
        suites: [Suite: [String: PropertyListValue]] = [:]
    ) {
        self.primary = primary
        self.version = version
        self.ledger = ledger
        self.records = records
        self.suites = suites
    }

    /// The store without the records that have expired by a time, which an upgrade removes unless it reads no record.
    func withoutExpired(by now: Date) -> StoreFixture {
        var fixture = self
        fixture.records.removeAll { $0.hasExpired(by: now) }
        return fixture
    }

    /// The record of a key, compared by bytes; nil if there is none.
    public func record(forKey key: String) -> Record? {
        records.first { $0.key.utf8.elementsEqual(key.utf8) }
    }
}

extension StoreFixture {
    /// A record of a fixture.
    public struct Record: Hashable, Sendable {
        /// The key.
        public var key: String
        /// The type name that the record was written under.
        public var typeName: String
        /// The content.
        public var content: Content
        /// The time when the record expires; nil for never.
        public var expiration: Date?
        /// The schema version of the last write; nil for the store's schema version.
        public var version: Int?

        func hasExpired(by now: Date) -> Bool { expiration.map { $0 <= now } ?? false }

        /// Creates a record.
        public init(
            _ key: String,
            _ typeName: String,
            _ content: Content,
            expiration: Date? = nil,
            version: Int? = nil
        ) {
            self.key = key
            self.typeName = typeName
            self.content = content
            self.expiration = expiration
            self.version = version
        }
    }

    /// The bytes of a record's content.
    public struct Content: Hashable, Sendable {
        /// A UTF-8 JSON string, or raw data.
        public var bytes: [UInt8]
        /// Whether the bytes are raw data.
        public var isData: Bool

        /// Creates content from its bytes.
        public init(bytes: [UInt8], isData: Bool) {
            self.bytes = bytes
            self.isData = isData
        }

        /// Creates JSON content; the text is kept unchanged.
        public static func json(_ text: String) -> Content {
            Content(bytes: Array(text.utf8), isData: false)
        }

        /// Creates raw data content.
        public static func data(_ data: Data) -> Content {
            Content(bytes: Array(data), isData: true)
        }

        /// Encodes a value as a cache with these coders would.
        ///
        /// - Parameters:
        ///   - value: The value; `Data` becomes raw data.
        ///   - coding: The coders; those of Foundation without options by default.
        /// - Throws: The error of the encoder.
        public static func encoding(_ value: some Encodable, with coding: RecordCoding = .standard) throws -> Content {
            if let data = value as? Data { return .data(data) }
            return Content(bytes: Array(try coding.encoder.encode(value)), isData: false)
        }
    }
}

extension StoreFixture {
    var contents: StoreContents {
        get {
            StoreContents(
                version: version,
                ledger: ledger,
                records: records.map { record in
                    StoreContents.StoredRecord(
                        key: record.key,
                        typeName: record.typeName,
                        content: record.content.bytes,
                        isData: record.content.isData,
                        expiration: record.expiration?.timeIntervalSince1970,
                        version: record.version ?? version
                    )
                }
            )
        }
        set {
            version = newValue.version
            ledger = newValue.ledger
            records = newValue.records.map { record in
                Record(
                    record.key,
                    record.typeName,
                    Content(bytes: record.content, isData: record.isData),
                    expiration: record.expiration.map { Date(timeIntervalSince1970: $0) },
                    version: record.version == newValue.version ? nil : record.version
                )
            }
        }
    }

    init(_ contents: StoreContents, suites: [Suite: [String: PropertyListValue]] = [:]) {
        self.init(version: contents.version, suites: suites)
        self.contents = contents
    }
}
