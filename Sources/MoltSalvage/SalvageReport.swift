internal import MoltCore

/// What `CodableCache.salvage` has saved of a damaged file, what it could not save, and what it assumed.
///
/// ```swift
/// let report = try CodableCache.salvage(at: url, migrations: migrations)
/// print(report)
/// for loss in report.losses where loss.key != nil { … }
/// ```
///
/// It names keys and ids, and never a value.
public struct SalvageReport: Hashable, Sendable, Codable {
    /// Something that could not be saved.
    public struct Loss: Hashable, Sendable, Codable {
        /// What kind of thing, and why; new kinds may be added, so switch over them with a `default`.
        public struct Kind: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
            /// The kind's stable text.
            public let rawValue: String

            /// The kind's stable text.
            public var description: String { rawValue }

            /// Creates a kind from its stable text.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// A record on a page that cannot be read.
            public static let unreadable = Kind(rawValue: "unreadable")
            /// A record whose key is not text, so that it cannot be asked for.
            public static let damagedKey = Kind(rawValue: "damagedKey")
            /// A record with columns that no cache writes.
            public static let damagedRow = Kind(rawValue: "damagedRow")
            /// A record whose content is neither JSON text nor raw data.
            public static let damagedContent = Kind(rawValue: "damagedContent")
            /// An older state of a record that was saved: another row has the same key or the same id.
            public static let duplicate = Kind(rawValue: "duplicate")
            /// A record that was saved, and whose row and index have different keys.
            ///
            /// It was saved under the index's key, by which it is found, unless the index has the row's key too, with
            /// another id. The loss names the key that it was not saved under.
            public static let doubtfulKey = Kind(rawValue: "doubtfulKey")
            /// Records with ids of a range that cannot be read; how many there were is not known.
            public static let unknownRecords = Kind(rawValue: "unknownRecords")
            /// Rows of a page whose ids cannot be read.
            public static let unknownRows = Kind(rawValue: "unknownRows")
        }

        /// What kind of thing, and why.
        public var kind: Kind
        /// The key of the record, where it is known.
        public var key: String?
        /// The ids of the records, where they are known; one of them is a range of one.
        public var ids: ClosedRange<Int64>?
        /// The page of the file, where no id is known; the first is 1.
        public var page: Int?
        /// How many there are at most; nil when that is not known.
        public var count: Int?
    }

    /// The damaged file, by its path.
    public var source: String
    /// The new file, by its path.
    public var destination: String
    /// Where the damaged file is now, by its path; nil when it was left where it was.
    public var setAside: String?
    /// How many records were saved.
    public var savedCount = 0
    /// How many of them SQLite no longer finds, and were found page by page.
    public var rawCount = 0
    /// How many of them may be older than what was written last, or may have been removed, because a newer state of them
    /// was in the log beside the file and is lost.
    ///
    /// They are the records of the pages that ``lostPageCount`` counts. Where the log does not say which page was lost, they
    /// are the records of all pages that were not written again after that.
    public var staleCount = 0
    /// How many pages of the log beside the file are lost, with no newer state of them elsewhere.
    ///
    /// Records that were new on such a page are missing; those that an earlier state has are in ``staleCount``.
    public var lostPageCount = 0
    /// How many records are known to be lost: those that the losses name, or count.
    public var lostCount: Int { losses.reduce(0) { $0 + ($1.isOfARecord ? $1.count ?? 0 : 0) } }
    /// What could not be saved; at most ``lossLimit`` are listed.
    public var losses: [Loss] = []
    /// How many losses there are beyond those that are listed.
    public var unlistedLossCount = 0
    /// The schema version of the new file.
    public var schemaVersion = 0
    /// How many rows of the ledger were saved.
    public var ledgerCount = 0
    /// Whether the ledger was read whole.
    ///
    /// When it was not, and no migrations were given, opening the new file throws `lateMigration` for each whose row was
    /// lost.
    public var isLedgerWhole = true
    /// How many changes to attached stores were waiting, and wait in the new file.
    public var journalCount = 0
    /// Whether all changes that waited for attached stores were read.
    public var isJournalWhole = true
    /// How many records in quarantine were saved; they are in quarantine in the new file.
    public var quarantinedCount = 0
    /// Whether the quarantine was read whole.
    public var isQuarantineWhole = true
    /// What was missing or unreadable, and what was assumed instead; a sentence each.
    public var assumptions: [String] = []
    /// What SQLite says is wrong with the file, in its own words; at most a hundred lines.
    public var damage: [String] = []

    /// How many losses are listed at most.
    public static let lossLimit = 10_000

    /// Whether everything was saved, so that only what can be made again was damaged, such as an index.
    public var isWhole: Bool {
        losses.isEmpty && unlistedLossCount == 0 && staleCount == 0 && lostPageCount == 0 && isLedgerWhole
            && isJournalWhole
            && isQuarantineWhole
            && assumptions.isEmpty
    }

    /// Creates an empty report.
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
    /// Whether a record is lost with it.
    fileprivate var isOfARecord: Bool { kind != .duplicate && kind != .doubtfulKey }

    /// A record that is known by its id.
    init(_ kind: Kind, id: Int64, key: String? = nil) {
        self.init(kind: kind, key: key, ids: id...id, page: nil, count: 1)
    }
}

extension SalvageReport: CustomStringConvertible {
    /// A headline, what was assumed, and a line for each loss; of many the first ones.
    public var description: String {
        var lines = [headline]
        if rawCount > 0 {
            lines.append("\(rawCount) of them were found page by page, where SQLite finds none any more")
        }
        if lostPageCount > 0 {
            lines.append("\(lostPageCount) pages of the log are lost, with what was written there last")
        }
        if staleCount > 0 {
            lines.append("\(staleCount) of them may be older than what was written last, or were removed")
        }
        lines.append(
            "version \(schemaVersion), \(ledgerCount) rows of the ledger\(isLedgerWhole ? "" : ", perhaps not all")"
        )
        if journalCount > 0 || !isJournalWhole {
            lines.append(
                "\(journalCount) changes wait for attached stores\(isJournalWhole ? "" : ", perhaps not all")"
            )
        }
        if quarantinedCount > 0 || !isQuarantineWhole {
            lines.append("\(quarantinedCount) records in quarantine\(isQuarantineWhole ? "" : ", perhaps not all")")
        }
        if let setAside { lines.append("the damaged file is \(setAside) now") }
        lines += assumptions
        let shown = 20
        lines += losses.prefix(shown).map { "\($0.isCertain ? "lost" : "perhaps lost"): \($0)" }
        let rest = losses.count - shown + unlistedLossCount
        if rest > 0 { lines.append("and \(rest) more") }
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        let end = isWhole ? ": everything" : lostCount > 0 ? ", at least \(lostCount) lost" : ""
        return "\(source): \(savedCount) records saved to \(destination)\(end)"
    }
}

extension SalvageReport.Loss: CustomStringConvertible {
    /// Whether there was a record.
    fileprivate var isCertain: Bool { kind != .unknownRecords && kind != .unknownRows }

    /// The kind and the place.
    public var description: String {
        var parts = [kind.rawValue]
        if let key { parts.append("\"\(ErrorSummary.oneLine(key))\"") }
        // The count of a range that has no end is more than an Int holds.
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
