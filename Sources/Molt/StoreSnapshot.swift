/// A store that can only be read: its records, and the settings of its suites.
///
/// The checks, requirements and work of a migration receive one, and so does the closure of a baseline:
///
/// ```swift
/// Migration(to: 3, "split-full-name", .splitProperty("Person", "fullName", into: ["firstName", "lastName"]))
///     .check("every person has a first name") { store in
///         try store.enumerate("Person") { person in
///             guard try !person.string("firstName").isEmpty else { throw NamelessPerson() }
///         }
///     }
/// ```
///
/// Types, keys and properties have the names of that moment, so name them by strings. Values are decoded with the
/// coders of the migration. Records that have expired may be among them.
///
/// A suite that is upgraded without a cache has no records. The members that read some then throw ``MoltError`` with
/// the code `unsupported`; only in the closure of a baseline do they find none.
///
/// Do not use a snapshot after its closure has returned: a call then stops the process.
public final class StoreSnapshot {
    /// The schema version of the store at that moment, which is SQLite's `user_version` of a file.
    public let version: Int
    /// Nil for a store that has no file yet.
    private let reading: Reading?
    /// What the call that is under way reads.
    private var records: StoreTransaction?
    private let values: (Suite) throws -> [String: PropertyListValue]
    private let coding: RecordCoding
    private let configuration: MoltConfiguration
    private var isExpired = false

    /// Runs a closure that reads the records, for one call.
    typealias Reading = (_ body: (StoreTransaction) throws -> Void) throws -> Void

    /// Lets all calls read in one transaction.
    static func reading(_ records: StoreTransaction) -> Reading { { try $0(records) } }

    /// - Parameter values: Returns the settings of a suite by key.
    init(
        at version: Int,
        _ reading: Reading?,
        _ coding: RecordCoding,
        _ configuration: MoltConfiguration,
        values: @escaping (Suite) throws -> [String: PropertyListValue]
    ) {
        self.version = version
        self.reading = reading
        self.coding = coding
        self.configuration = configuration
        self.values = values
    }

    /// A snapshot for a closure of a migration.
    convenience init(
        at version: Int,
        _ reading: @escaping Reading,
        _ suites: AttachedWork,
        of migration: Migration,
        _ configuration: MoltConfiguration
    ) {
        self.init(at: version, reading, migration.coding, configuration) { suite in
            let editor = try suites.editor(of: suite, for: .snapshot)
            return try editor.keys.reduce(into: [:]) { $0[$1] = try editor.value(forKey: $1) }
        }
    }

    func withoutSettings() -> StoreSnapshot {
        StoreSnapshot(at: version, reading, coding, configuration) { _ in [:] }
    }

    func expire() {
        isExpired = true
    }

    /// - Parameter none: The value for a store that has no file yet.
    private func read<Value>(or none: Value, _ body: (StoreTransaction) throws -> Value) throws -> Value {
        checkExpiry()
        if let records { return try body(records) }
        guard let reading else { return none }
        var value = none
        try reading { opened in
            guard opened.holdsRecords else { throw Self.withoutRecords(opened.storeName) }
            records = opened
            defer { records = nil }
            value = try body(opened)
        }
        return value
    }

    private func checkExpiry() {
        precondition(!isExpired, "A snapshot of a store was used after its closure had returned.")
    }

    private static func withoutRecords(_ store: String) -> MoltError {
        MoltError(
            .unsupported,
            "The closure reads records, and a suite that is upgraded without a cache has none.",
            advice: "Open the app's cache, or read only settings there.",
            store: store
        )
    }

    /// The names of the types that have at least one record, sorted.
    public var types: [String] {
        get throws { try read(or: []) { try $0.typeNames() } }
    }

    /// The number of records of a type.
    ///
    /// - Throws: ``MoltError`` with the code `storeFailed`.
    public func count(ofType type: String) throws -> Int {
        try read(or: 0) { try $0.count(ofType: type) }
    }

    /// The record with a key; nil if there is none.
    ///
    /// - Throws: ``MoltError`` with the code `malformedContent` if the content is not JSON text, or that of the store.
    public func record(forKey key: String) throws -> Record? {
        guard var record = try read(or: nil, { try $0.record(forKey: key) }) else { return nil }
        record.coding = coding
        try record.read()
        return record
    }

    /// Visits each record of a type, in the order in which they were added; none for an unknown name.
    ///
    /// - Throws: The error of the closure; ``MoltError`` for a record that cannot be read, or if the opening is
    ///   cancelled or its deadline passes.
    public func enumerate(_ type: String, _ body: (Record) throws -> Void) throws {
        try read(or: ()) { records in
            let count = try records.count(ofType: type)
            let batch = RecordBatch(capacity: configuration.hooks.batchSize)
            var visited = 0
            var after = Int64.min
            while true {
                try configuration.checkCancellation()
                try records.read(into: batch, types: [type], after: after, through: .max)
                guard let last = batch.lastID else { break }
                for index in 0..<batch.count {
                    try withAutoreleasePool {
                        var record = batch[index]
                        record.coding = coding
                        try record.read()
                        try body(record)
                        if let failure = record.failure { throw failure }
                    }
                }
                visited += batch.count
                after = last
            }
            // A damaged file gives fewer records, without an error.
            try records.checkVisited(visited, of: count)
        }
    }

    /// The settings of a suite by key, with the changes that earlier steps of the upgrade make.
    ///
    /// - Parameter suite: A suite that a step of the registry, or the opening's ``MoltConfiguration/suites``, names.
    ///   The closure of a baseline may look at any.
    /// - Throws: ``MoltError`` with the code `suiteNotNamed` for another suite, `deferred` if the suite is unavailable,
    ///   or that of one that cannot be read.
    public func settings(in suite: Suite) throws -> [String: PropertyListValue] {
        checkExpiry()
        return try values(suite)
    }
}
