public import Foundation

/// What an opening did, for statistics over many devices; see ``MigrationMonitor/summary``.
///
/// It has versions, counts, durations, sizes, the names of migrations, and codes of errors. It has no keys, values,
/// paths, or names of types and properties, and no texts of errors, so it may leave the device. An error that is not
/// Molt's is named by its type, without generic arguments, or by its domain, if it is an `NSError`. Do not put a
/// person's name, or anything else about a user, into the name of a migration.
///
/// Encoded as JSON without white space, it takes at most 2 KB. The form is stable: what is not known is left out, and
/// releases with the same `format` only add members. Decoders should ignore members that they do not know. What only a
/// server reads is a member of the JSON alone; see [Shipping an upgrade to many devices](ShippingAnUpgrade.md).
///
/// ```json
/// {"format":1,"outcome":"upgraded","isDryRun":false,"from":3,"to":4,"appVersion":"4.0","moltVersion":"0.1.0",
///  "duration":1.52,"storeSize":20480000,"interruptions":1,"expired":0,"deferred":0,"onRead":0,"settings":{},
///  "counts":{"read":100000,"changed":100000,"dropped":0,"created":0,"quarantined":2},"migrationCount":1,
///  "migrations":[{"name":"split-full-name","version":4,"outcome":"ran","duration":1.5,
///   "counts":{"read":100000,"changed":100000,"dropped":0,"created":0,"quarantined":2}}]}
/// ```
public struct MigrationSummary: Equatable, Sendable, Codable {
    /// What became of the store; new outcomes may be added.
    public struct Outcome: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The outcome's stable name.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// Reads the outcome's stable name.
        public init(from decoder: any Decoder) throws {
            description = try String(from: decoder)
        }

        /// Writes the outcome's stable name.
        public func encode(to encoder: any Encoder) throws {
            try description.encode(to: encoder)
        }

        /// There was nothing to do, except perhaps to apply seeds.
        public static let upToDate = Outcome("upToDate")
        /// The store was created, and there was no data of an earlier release.
        public static let created = Outcome("created")
        /// The store was upgraded, or a new one took over settings or files of an earlier release.
        public static let upgraded = Outcome("upgraded")
        /// An earlier upgrade was committed; its remaining changes outside the store have now been made.
        public static let finished = Outcome("finished")
        /// The store is of a newer release, and was opened for reading only.
        public static let readOnly = Outcome("readOnly")
        /// The opening failed; see ``MigrationSummary/failure``.
        public static let failed = Outcome("failed")
    }

    /// Why an opening failed.
    public struct Failure: Equatable, Sendable, Codable {
        /// The error's code, such as `stepFailed`; for an error that is not Molt's, the name of its type.
        public package(set) var code: String
        /// The code or the type of the innermost error below it, with its number if it has one, such as
        /// `SQLiteError 13`; nil if there is none.
        package var cause: String?
        /// The name of the migration that failed.
        public package(set) var migration: String?
        package var version: Int?
        /// The number of its step, from 1.
        public package(set) var step: Int?
        /// Whether the store was upgraded before the failure; at most changes outside it remain.
        public package(set) var isCommitted: Bool
    }

    /// A migration that the opening ran or recorded.
    package struct Entry: Equatable, Sendable, Codable {
        /// The name, cut to 60 bytes.
        package var name: String
        package var version: Int
        /// The reason why the store counts it as applied.
        package var outcome: LedgerEntry.Outcome
        /// Its duration in seconds, rounded to milliseconds; see ``MigrationReport/Entry/duration``.
        package var duration: TimeInterval
        /// The numbers of records read, changed, dropped, created and quarantined.
        package var counts: MigrationReport.Counts
    }

    /// The number of the encoded form: 1.
    package var format = 1
    /// What became of the store.
    public package(set) var outcome: Outcome
    /// Whether it was a dry run, which changes nothing.
    public package(set) var isDryRun: Bool
    /// The store's version before the opening; nil if it could not be read.
    public package(set) var from: Int?
    /// The version that the opening was to lead to; nil if it is not known.
    public package(set) var to: Int?
    /// The app's version, cut to 60 bytes; see ``MoltConfiguration/appVersion``.
    package var appVersion: String
    package var moltVersion = MoltRelease.version
    /// The duration of the opening in seconds, rounded to milliseconds.
    ///
    /// In a dry run, it does not include the copying, unless that fails.
    public package(set) var duration: TimeInterval
    /// The size of the store's file and its log before the opening, in bytes; nil for a new store, a suite, and in
    /// memory.
    public package(set) var storeSize: Int64?
    /// The number of earlier attempts at this upgrade, by any version of the app, that a crash or a kill interrupted.
    public package(set) var interruptions = 0
    /// Why the opening failed; nil if it did not.
    public package(set) var failure: Failure?
    /// The sum of the counts of all migrations.
    public package(set) var counts = MigrationReport.Counts()
    /// The number of expired records that were removed; 0 if the migrations only rename types.
    package var expired = 0
    /// The number of migrations that are deferred.
    package var deferred = 0
    /// The number of migrations that older records go through when they are read.
    package var onRead = 0
    /// The number of settings and files for each outcome, by the name of the ``MigrationReport/KeyOutcome/Outcome``.
    package var settings: [String: Int] = [:]
    /// The number of records for each word in the description of ``MigrationReport/Seed``; nil if no seed was applied.
    package var seeds: [String: Int]?
    /// The number of migrations that the opening ran or recorded.
    package var migrationCount = 0
    /// These migrations, in order; only those that took longest if all do not fit.
    package var migrations: [Entry] = []
}

extension MigrationSummary {
    /// The greatest size of the encoded form, in bytes.
    static let sizeLimit = 2048

    /// Creates the summary of an opening without its result.
    ///
    /// - Parameter plan: The plan; nil if none could be made.
    init(_ plan: MigrationPlan?, _ configuration: MoltConfiguration, _ mode: RunMode, duration: Double) {
        outcome = .upToDate
        isDryRun = mode.isDryRun
        from = plan?.from
        to = plan?.to
        appVersion = Self.shortened(configuration.appVersion)
        self.duration = Self.rounded(duration)
    }

    func ended(with report: MigrationReport) -> MigrationSummary {
        var summary = self
        // Another process may have upgraded the store since the plan was made.
        summary.from = report.from
        summary.to = report.to
        if report.isReadOnly {
            summary.outcome = .readOnly
        } else if report.isNewInstallation {
            summary.outcome = .created
        } else if !report.isUpToDate {
            summary.outcome = .upgraded
        } else if !report.work.isEmpty || report.erasure != nil, report.pendingWork.isEmpty,
            report.erasure?.isComplete != false
        {
            summary.outcome = .finished
        }
        summary.counts = report.counts
        summary.expired = report.expiredCount
        summary.deferred = report.deferred.count
        summary.onRead = report.onRead.count
        summary.settings = report.keys.reduce(into: [:]) { $0[$1.outcome.description, default: 0] += 1 }
        if !report.seeds.isEmpty {
            let counts = report.seeds.flatMap(\.counts)
            summary.seeds = counts.reduce(into: [:]) { $0[$1.word, default: 0] += $1.count }
        }
        summary.migrationCount = report.entries.count
        summary.addMigrations(of: report)
        return summary
    }

    func failed(with error: any Error) -> MigrationSummary {
        var summary = self
        let failure = error as? MoltError
        summary.outcome = .failed
        summary.failure = Failure(
            code: Self.shortened(ErrorSummary.code(of: error)),
            cause: ErrorSummary.innermost(of: error).map { Self.shortened(ErrorSummary.code(of: $0)) },
            migration: (failure?.migration?.name).map(Self.shortened),
            version: failure?.migration?.version,
            step: failure?.step?.number,
            isCommitted: failure?.outcome == .committed
        )
        summary.from = from ?? failure?.storeVersion
        summary.to = to ?? failure?.registryVersion
        summary.fit()
        return summary
    }

    /// Adds the migrations that took longest, as many as fit.
    private mutating func addMigrations(of report: MigrationReport) {
        let entries = report.entries.map { entry in
            Entry(
                name: Self.shortened(entry.migration.name),
                version: entry.migration.version,
                outcome: entry.outcome,
                duration: Self.rounded(entry.duration),
                counts: entry.counts
            )
        }
        // More than 16 never fit.
        let longest = entries.indices.ordered { entries[$0].duration > entries[$1].duration }.prefix(16)
        migrations = longest.sorted().map { entries[$0] }
        fit()
    }

    /// Removes the shortest migrations until the rest fit.
    private mutating func fit() {
        // Strings, integers and finite numbers can always be encoded.
        while let size = try? JSONEncoder().encode(self).count, size > Self.sizeLimit,
            let shortest = migrations.indices.min(by: { migrations[$0].duration < migrations[$1].duration })
        {
            migrations.remove(at: shortest)
        }
    }

    private static func rounded(_ seconds: Double) -> Double {
        (seconds * 1000).rounded() / 1000
    }

    /// The beginning of a text, at most 60 bytes of UTF-8.
    private static func shortened(_ text: String) -> String {
        // In JSON, a control character takes six bytes.
        var text = ErrorSummary.oneLine(text)
        while text.utf8.count > 60 { text.removeLast() }
        return text
    }
}

extension MigrationSummary: CustomStringConvertible {
    /// The encoded form.
    public var description: String {
        // Strings, integers and finite numbers can always be encoded.
        let json = try? JSONEncoder([.sortedKeys, .withoutEscapingSlashes]).encode(self)
        return json.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
