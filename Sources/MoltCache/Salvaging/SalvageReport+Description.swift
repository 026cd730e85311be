internal import MoltCore

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
