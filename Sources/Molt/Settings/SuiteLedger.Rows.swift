internal import Foundation

/// The order in which a registry has its migrations; rows of suites' ledgers share it.
///
/// Each name is in it once, however many rows it came before.
final class MigrationOrder: Sendable {
    let names: [String]

    init(_ names: [String]) {
        self.names = names
    }
}

extension SuiteLedger {
    /// A migration that the suite has been through.
    struct Row: Equatable {
        var entry: LedgerEntry
        /// What came before it in the registry that applied it; nil in rows of unknown origin.
        var predecessors: Predecessors?
        /// The oldest version that this registry supported, if above 0.
        var oldestSupportedVersion: Int?

        init(_ entry: LedgerEntry, of origin: Origin? = nil) {
            self.entry = entry
            guard let origin else { return }
            predecessors = origin.predecessors(of: entry.name)
            oldestSupportedVersion = origin.oldestSupportedVersion
        }
    }

    /// The migrations before one: the first ones of an order.
    struct Predecessors: Equatable {
        let order: MigrationOrder
        let count: Int

        var names: ArraySlice<String> { order.names[..<count] }

        static func == (one: Predecessors, other: Predecessors) -> Bool {
            one.count == other.count && (one.order === other.order || one.names == other.names)
        }
    }

    /// Rows in the form in which suites and journals keep them: a row has the number of migrations before it in one of
    /// the orders.
    struct Rows: Codable {
        var rows: [Row]

        private enum CodingKeys: String, CodingKey {
            case orders
            case rows = "entries"
        }

        init(_ rows: [Row] = []) {
            self.rows = rows
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let orders = try container.decodeIfPresent([[String]].self, forKey: .orders) ?? []
            let shared = orders.map(MigrationOrder.init)
            rows = try container.decode([StoredRow].self, forKey: .rows).map { try $0.row(shared) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            let counts = rows.countsByOrder
            if !counts.isEmpty {
                try container.encode(counts.map { Array($0.order.names[..<$0.count]) }, forKey: .orders)
            }
            let numbers = Dictionary(uniqueKeysWithValues: counts.enumerated().map { (ObjectIdentifier($1.order), $0) })
            try container.encode(rows.map { StoredRow($0, numbers) }, forKey: .rows)
        }
    }
}

extension [SuiteLedger.Row] {
    /// The orders of the rows, each once, with the number of its names that come before some row.
    fileprivate var countsByOrder: [SuiteLedger.Predecessors] {
        var indexes: [ObjectIdentifier: Int] = [:]
        var found: [SuiteLedger.Predecessors] = []
        for case let predecessors? in map(\.predecessors) {
            if let index = indexes[ObjectIdentifier(predecessors.order)] {
                if found[index].count < predecessors.count { found[index] = predecessors }
            } else {
                indexes[ObjectIdentifier(predecessors.order)] = found.count
                found.append(predecessors)
            }
        }
        return found
    }

    /// Adds rows, which share an order with earlier ones if one of the two continues the other.
    mutating func append(sharing added: [SuiteLedger.Row]) {
        var replaced: [ObjectIdentifier: MigrationOrder] = [:]
        let own = countsByOrder
        for new in added.countsByOrder {
            let same = own.first { old in
                let count = Swift.min(old.count, new.count)
                return old.order.names[..<count] == new.order.names[..<count]
            }
            guard let same else { continue }
            let isLonger = new.count > same.count
            replaced[ObjectIdentifier(isLonger ? same.order : new.order)] = isLonger ? new.order : same.order
        }
        self += added
        guard !replaced.isEmpty else { return }
        for index in indices {
            guard let predecessors = self[index].predecessors,
                let order = replaced[ObjectIdentifier(predecessors.order)]
            else { continue }
            self[index].predecessors = SuiteLedger.Predecessors(order: order, count: predecessors.count)
        }
    }
}

extension History {
    /// Creates the history of a suite from rows of its ledger.
    ///
    /// A migration that was marked as applied says nothing about earlier ones.
    init(_ rows: [SuiteLedger.Row]) {
        let applied = rows.filter { $0.entry.outcome.isApplied && $0.entry.outcome != .marked }
        self.init(rows.map(\.entry), earlier: applied.countsByOrder.reduce(into: []) { $0.formUnion($1.names) })
    }
}

/// A row without what is as in most rows.
private struct StoredRow: Codable {
    var name: String
    var version: Int
    var outcome: LedgerEntry.Outcome?
    var appliedAt: Date
    var duration: Double?
    var counts: MigrationReport.Counts?
    var attachedCounts: [String: Int]?
    var appVersion: String?
    var moltVersion: String
    var fingerprint: String?
    var replaces: [String]?
    var replacedKinds: [String: LedgerEntry.Replaced]?
    var corrections: [LedgerCorrection]?
    var isWorkPending: Bool?
    var extra: String?
    var isReadableByOlderReleases: Bool?
    var isWritableByOlderReleases: Bool?
    /// The number of migrations before it.
    var predecessors: Int?
    /// The number of the order that has them; nil for the first.
    var order: Int?
    var oldestSupportedVersion: Int?

    init(_ row: SuiteLedger.Row, _ orders: [ObjectIdentifier: Int]) {
        let entry = row.entry
        name = entry.name
        version = entry.version
        outcome = entry.outcome == .ran ? nil : entry.outcome
        appliedAt = entry.appliedAt
        duration = entry.duration == 0 ? nil : entry.duration
        counts = entry.counts.isZero ? nil : entry.counts
        attachedCounts = entry.attachedCounts.isEmpty ? nil : entry.attachedCounts
        appVersion = entry.appVersion.isEmpty ? nil : entry.appVersion
        moltVersion = entry.moltVersion
        fingerprint = entry.fingerprint
        replaces = entry.replaces.isEmpty ? nil : entry.replaces
        replacedKinds = entry.replacedKinds.isEmpty ? nil : entry.replacedKinds
        corrections = entry.corrections.isEmpty ? nil : entry.corrections
        isWorkPending = entry.isWorkPending ? true : nil
        extra = entry.extra
        isReadableByOlderReleases = entry.olderReleases >= .read ? true : nil
        isWritableByOlderReleases = entry.olderReleases == .write ? true : nil
        predecessors = row.predecessors?.count
        let number = row.predecessors.flatMap { orders[ObjectIdentifier($0.order)] }
        order = number == 0 ? nil : number
        oldestSupportedVersion = row.oldestSupportedVersion
    }

    func row(_ orders: [MigrationOrder]) throws -> SuiteLedger.Row {
        var entry = LedgerEntry(
            name: name,
            version: version,
            outcome: outcome ?? .ran,
            appliedAt: appliedAt,
            moltVersion: moltVersion
        )
        entry.duration = duration ?? 0
        entry.counts = counts ?? MigrationReport.Counts()
        entry.attachedCounts = attachedCounts ?? [:]
        entry.appVersion = appVersion ?? ""
        entry.fingerprint = fingerprint
        entry.corrections = corrections ?? []
        entry.isWorkPending = isWorkPending ?? false
        entry.olderReleases =
            isWritableByOlderReleases == true ? .write : isReadableByOlderReleases == true ? .read : .nothing
        entry.replaces = replaces ?? []
        entry.replacedKinds = replacedKinds ?? [:]
        entry.extra = extra
        var row = SuiteLedger.Row(entry)
        row.oldestSupportedVersion = oldestSupportedVersion
        guard let predecessors else { return row }
        let index = order ?? 0
        let names = orders.indices.contains(index) ? orders[index] : MigrationOrder([])
        guard (0...names.names.count).contains(predecessors) else { throw CocoaError(.coderReadCorrupt) }
        row.predecessors = SuiteLedger.Predecessors(order: names, count: predecessors)
        return row
    }
}
