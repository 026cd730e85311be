/// A store that can only be read: its records, and the settings of its suites.
///
/// The checks, requirements and work of a migration receive one, and so does the closure of a baseline:
///
/// ```swift
/// Migration(to: 3, "split-full-name", .splitProperty("Person", "fullName", into: ["firstName", "lastName"]))
///     .checking("every person has a first name") { store in
///         try store.enumerate("Person") { person in
///             guard try !person.string("firstName").isEmpty else { throw NamelessPerson() }
///         }
///     }
/// ```
///
/// Types, keys and properties have the names of that moment, so name them by strings. Values are decoded with the
/// coders of the migration. Records that have expired may be among them.
///
/// Do not use a view after its closure has returned: a call then stops the process.
public final class StoreView {
    /// The schema version of the store at that moment, which is SQLite's `user_version` of a file.
    public let version: Int
    /// Nil for a store that has no file yet.
    private let records: StoreTransaction?
    private let values: (Suite) throws -> [String: PropertyListValue]
    private let coding: RecordCoding
    private let configuration: MoltConfiguration
    private var isExpired = false

    /// - Parameter values: Returns the settings of a suite by key.
    init(
        at version: Int,
        _ records: StoreTransaction?,
        _ coding: RecordCoding,
        _ configuration: MoltConfiguration,
        values: @escaping (Suite) throws -> [String: PropertyListValue]
    ) {
        self.version = version
        self.records = records
        self.coding = coding
        self.configuration = configuration
        self.values = values
    }

    /// A view for a closure of a migration.
    convenience init(
        at version: Int,
        _ records: StoreTransaction,
        _ suites: AttachedWork,
        of migration: Migration,
        _ configuration: MoltConfiguration
    ) {
        self.init(at: version, records, migration.coding, configuration) { suite in
            let editor = try suites.editor(of: suite, isDeclared: false)
            return try editor.keys.reduce(into: [:]) { $0[$1] = try editor.value(forKey: $1) }
        }
    }

    /// The view without the settings of any suite.
    func withoutSettings() -> StoreView {
        StoreView(at: version, records, coding, configuration) { _ in [:] }
    }

    /// Invalidates the view.
    func expire() {
        isExpired = true
    }

    /// - Parameter none: The value for a store that has no file yet.
    private func read<Value>(or none: Value, _ body: (StoreTransaction) throws -> Value) throws -> Value {
        checkExpiry()
        return try records.map(body) ?? none
    }

    private func checkExpiry() {
        precondition(!isExpired, "A view of a store was used after its closure had returned.")
    }

    /// The names of the types that have at least one record, sorted.
    public var types: [String] {
        get throws { try read(or: []) { try $0.typeNames() } }
    }

    /// The number of records of a type.
    public func count(ofType type: String) throws -> Int {
        try read(or: 0) { try $0.count(ofType: type) }
    }

    /// The record with a key; nil if there is none.
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
        let known = try count(ofType: type)
        let batch = RecordBatch(capacity: configuration.hooks.batchSize)
        var visited = 0
        var after = Int64.min
        while true {
            try configuration.checkCancellation()
            try read(or: ()) { try $0.read(into: batch, types: [type], after: after, through: .max) }
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
        try read(or: ()) { try $0.checkVisited(visited, of: known) }
    }

    /// The settings of a suite by key, with the changes that earlier steps of the upgrade make.
    ///
    /// - Parameter suite: A suite that a step of the registry, or the opening's ``MoltConfiguration/attached``, names. The
    ///   closure of a baseline may look at any.
    /// - Throws: ``MoltError`` with the code `notAttached` for another suite, or that of one that cannot be read.
    public func settings(in suite: Suite) throws -> [String: PropertyListValue] {
        checkExpiry()
        return try values(suite)
    }
}
