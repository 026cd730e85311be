internal import Molt

/// The result of `CacheFile.salvage(_:timeout:)`: what was saved, lost, and assumed.
///
/// ```swift
/// let report = try CacheFile(at: url).salvage(migrations)
/// print(report)
/// for loss in report.losses where loss.key != nil { … }
/// ```
///
/// The report names keys and ids, and never a value.
public struct SalvageReport: Equatable, Sendable, Codable {
    /// A record, or a number of rows, that could not be saved.
    public struct Loss: Equatable, Sendable, Codable {
        /// The kind and cause of a loss; new ones may be added, so switch over them with a `default`.
        public struct Kind: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
            /// The kind's stable name.
            public let rawValue: String

            /// The kind's stable name.
            public var description: String { rawValue }

            /// Creates a kind from its stable name.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// A record on an unreadable page.
            public static let unreadable = Kind(rawValue: "unreadable")
            /// A record whose key is not text, so that it cannot be looked up.
            public static let damagedKey = Kind(rawValue: "damagedKey")
            /// A record with columns that no cache writes.
            public static let damagedRow = Kind(rawValue: "damagedRow")
            /// A record whose content is neither JSON text nor raw data.
            public static let damagedContent = Kind(rawValue: "damagedContent")
            /// An older state of a saved record: another row has the same key or the same id.
            public static let duplicate = Kind(rawValue: "duplicate")
            /// A saved record whose row and index have different keys.
            ///
            /// It was saved under the index's key, by which it is found, unless the index has the row's key with
            /// another id. The loss names the key that was not used.
            public static let doubtfulKey = Kind(rawValue: "doubtfulKey")
            /// An unknown number of records in an unreadable range of ids.
            public static let unknownRecords = Kind(rawValue: "unknownRecords")
            /// Rows of a page whose ids cannot be read.
            public static let unknownRows = Kind(rawValue: "unknownRows")
        }

        /// The kind and cause.
        public package(set) var kind: Kind
        /// The record's key, if known.
        public package(set) var key: String?
        /// The ids of the records, if known; a single record is a range of one.
        public package(set) var ids: ClosedRange<Int64>?
        /// The page of the file if no id is known; the first is 1.
        public package(set) var page: Int?
        /// The maximum number of records; nil when unknown.
        public package(set) var count: Int?
    }

    /// The path of the damaged file.
    public package(set) var source: String
    /// The path of the new file.
    public package(set) var destination: String
    /// The path that the damaged file was moved to; nil when it stayed in place.
    public package(set) var setAside: String?
    /// The number of saved records.
    public package(set) var savedCount = 0
    /// The number of saved records that SQLite no longer finds, and that were found page by page.
    package var rawCount = 0
    /// The number of saved records that may be older than the last write, or may have been removed, because a newer
    /// state in the log is lost.
    ///
    /// They are the records of the pages that ``lostPageCount`` counts. If the log does not tell which page was lost,
    /// they are the records of all pages not written again later.
    /// A record also counts when its newest row in the log is damaged, although the log's checksum is right.
    package var staleCount = 0
    /// The number of lost pages of the log whose newest state is nowhere else.
    ///
    /// Records that were new on such a page are missing; those with an earlier state are in ``staleCount``.
    package var lostPageCount = 0
    /// The number of records known to be lost, from the losses.
    public var lostCount: Int { losses.reduce(0) { $0 + ($1.isOfARecord ? $1.count ?? 0 : 0) } }
    /// The losses, at most ``lossLimit``; the description says how many more there are.
    public package(set) var losses: [Loss] = []
    /// The number of losses beyond the listed ones.
    package var unlistedLossCount = 0
    /// The schema version of the new file.
    public package(set) var version = 0
    /// The number of saved rows of the ledger.
    package var ledgerCount = 0
    /// Whether the ledger was read completely.
    ///
    /// If not, and without migrations, opening the new file throws `lateMigration` for each migration whose row is
    /// lost.
    package var isLedgerWhole = true
    /// The number of pending changes to suites, which the new file has, too.
    package var journalCount = 0
    /// Whether all pending changes to suites were read.
    package var isJournalWhole = true
    /// The number of saved records in quarantine; the new file has them in quarantine, too.
    package var quarantinedCount = 0
    /// Whether the quarantine was read completely.
    package var isQuarantineWhole = true
    /// The number of saved records and settings that wait to be handed over, which wait in the new file, too.
    package var handoverCount = 0
    /// Whether all of them were read.
    package var areHandoversWhole = true
    /// Whether all that the store remembers of the app's seeds was read.
    package var areSeedsWhole = true
    /// One sentence for each missing or unreadable part and the assumption in its place.
    public package(set) var assumptions: [String] = []
    /// The faults that SQLite reports, in its own words; at most 100 lines.
    public package(set) var damage: [String] = []

    /// The maximum number of listed losses.
    public static let lossLimit = 10_000

    /// Whether everything was saved; only parts that can be rebuilt, such as an index, were damaged.
    public var isWhole: Bool {
        losses.isEmpty && unlistedLossCount == 0 && staleCount == 0 && lostPageCount == 0 && isLedgerWhole
            && isJournalWhole && isQuarantineWhole && areHandoversWhole && areSeedsWhole && assumptions.isEmpty
    }

    init(source: String, destination: String) {
        self.source = source
        self.destination = destination
    }

    mutating func add(_ loss: Loss) {
        if losses.count < Self.lossLimit {
            losses.append(loss)
        } else {
            unlistedLossCount += 1
        }
    }

    mutating func assume(_ sentence: String) {
        if !assumptions.contains(sentence) { assumptions.append(sentence) }
    }
}

extension SalvageReport.Loss {
    fileprivate var isOfARecord: Bool { kind != .duplicate && kind != .doubtfulKey }

    init(_ kind: Kind, id: Int64, key: String? = nil) {
        self.init(kind: kind, key: key, ids: id...id, page: nil, count: 1)
    }
}

extension SalvageReport: CustomStringConvertible {
    /// A summary, the assumptions, and one line for each of the first losses.
    public var description: String {
        var lines = [headline]
        if rawCount > 0 {
            lines.append("\(rawCount) of them were recovered by scanning pages that SQLite can no longer read")
        }
        if lostPageCount > 0 {
            lines.append("\(lostPageCount) pages of the log are lost, so the latest changes on them are missing")
        }
        if staleCount > 0 {
            lines.append("\(staleCount) of them may be outdated, or may have been deleted")
        }
        lines.append(
            "version \(version), \(ledgerCount) rows of the ledger\(isLedgerWhole ? "" : ", perhaps not all")"
        )
        if journalCount > 0 || !isJournalWhole {
            lines.append(
                "\(journalCount) changes to suites have not been applied yet\(isJournalWhole ? "" : ", perhaps not all")"
            )
        }
        if quarantinedCount > 0 || !isQuarantineWhole {
            lines.append("\(quarantinedCount) records in quarantine\(isQuarantineWhole ? "" : ", perhaps not all")")
        }
        if handoverCount > 0 || !areHandoversWhole {
            lines.append(
                "\(handoverCount) records and settings wait to be handed over\(areHandoversWhole ? "" : ", perhaps not all")"
            )
        }
        if !areSeedsWhole {
            lines.append("deleted values of seeds may come back, because not all seeds are known any more")
        }
        if let setAside { lines.append("the damaged file is now \(setAside)") }
        lines += assumptions
        let shown = 20
        lines += losses.prefix(shown).map { "\($0.isCertain ? "lost" : "perhaps lost"): \($0)" }
        let rest = losses.count - shown + unlistedLossCount
        if rest > 0 { lines.append("and \(rest) more") }
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        let end = isWhole ? ", which is everything" : lostCount > 0 ? ", at least \(lostCount) lost" : ""
        return "\(source): \(savedCount) records saved to \(destination)\(end)"
    }
}

extension SalvageReport.Loss: CustomStringConvertible {
    fileprivate var isCertain: Bool { kind != .unknownRecords && kind != .unknownRows }

    /// The kind and the place.
    public var description: String {
        var parts = [kind.rawValue]
        if let key { parts.append("\"\(ErrorSummary.oneLine(key))\"") }
        // The count of an unbounded range would overflow Int.
        if let ids, ids.lowerBound == ids.upperBound { parts.append("id \(ids.lowerBound)") }
        if let ids, ids.lowerBound != ids.upperBound {
            let start = ids.lowerBound == .min ? "" : " from \(ids.lowerBound)"
            parts.append("ids\(start)" + (ids.upperBound == .max ? " to the end" : " to \(ids.upperBound)"))
        }
        if let page { parts.append("page \(page)") }
        if let count, count != 1 { parts.append("\(count) rows") }
        return parts.joined(separator: " ")
    }
}
