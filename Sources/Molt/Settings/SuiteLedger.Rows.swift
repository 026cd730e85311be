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

        init(_ rows: [Row] = []) {
            self.rows = rows
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: MemberName.self)
            let orders: [[String]] = try members.valueIfPresent("orders") ?? []
            let stored: [StoredRow] = try members.value("entries")
            let shared = orders.map(MigrationOrder.init)
            rows = try stored.map { try $0.row(shared) }
        }

        func encode(to encoder: any Encoder) throws {
            let counts = rows.countsByOrder
            let orders = counts.map { Array($0.order.names[..<$0.count]) }
            let numbers = Dictionary(uniqueKeysWithValues: counts.enumerated().map { (ObjectIdentifier($1.order), $0) })
            try encoder.encode([
                "orders": orders.isEmpty ? nil : orders, "entries": rows.map { $0.members(numbers) },
            ])
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

// MARK: Rows

extension SuiteLedger.Row {
    /// The members of the row, without what is as in most rows.
    ///
    /// - Parameter orders: The numbers of the orders; a row does not have that of the first.
    fileprivate func members(_ orders: [ObjectIdentifier: Int]) -> EncodedMembers {
        let order = predecessors.flatMap { orders[ObjectIdentifier($0.order)] }
        return [
            "name": entry.name,
            "version": entry.version,
            "outcome": entry.outcome == .ran ? nil : entry.outcome,
            "appliedAt": entry.appliedAt,
            "duration": entry.duration == 0 ? nil : entry.duration,
            "counts": entry.counts.isZero ? nil : entry.counts,
            "attachedCounts": entry.attachedCounts.isEmpty ? nil : entry.attachedCounts,
            "appVersion": entry.appVersion.isEmpty ? nil : entry.appVersion,
            "moltVersion": entry.moltVersion,
            "fingerprint": entry.fingerprint,
            "replaces": entry.replaces.isEmpty ? nil : entry.replaces,
            "replacedKinds": entry.replacedKinds.isEmpty ? nil : entry.replacedKinds,
            "corrections": entry.corrections.isEmpty ? nil : entry.corrections,
            "isWorkPending": entry.isWorkPending ? true : nil,
            "extra": entry.extra,
            "isReadableByOlderReleases": entry.olderReleases >= .read ? true : nil,
            "isWritableByOlderReleases": entry.olderReleases == .write ? true : nil,
            "predecessors": predecessors?.count,
            "order": order == 0 ? nil : order,
            "oldestSupportedVersion": oldestSupportedVersion,
        ]
    }
}

/// A row with the numbers that stand for its predecessors.
private struct StoredRow: Decodable {
    private let row: SuiteLedger.Row
    /// The number of migrations before it; nil in rows of unknown origin.
    private let predecessors: Int?
    /// The number of the order that has them.
    private let order: Int

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: MemberName.self)
        var entry = LedgerEntry(
            name: try members.value("name"),
            version: try members.value("version"),
            outcome: try members.valueIfPresent("outcome") ?? .ran,
            appliedAt: try members.value("appliedAt"),
            moltVersion: try members.value("moltVersion") as String
        )
        entry.duration = try members.valueIfPresent("duration") ?? 0
        entry.counts = try members.valueIfPresent("counts") ?? MigrationReport.Counts()
        entry.attachedCounts = try members.valueIfPresent("attachedCounts") ?? [:]
        entry.appVersion = try members.valueIfPresent("appVersion") ?? ""
        entry.fingerprint = try members.valueIfPresent("fingerprint")
        entry.corrections = try members.valueIfPresent("corrections") ?? []
        entry.isWorkPending = try members.valueIfPresent("isWorkPending") ?? false
        let isReadable: Bool = try members.valueIfPresent("isReadableByOlderReleases") ?? false
        let isWritable: Bool = try members.valueIfPresent("isWritableByOlderReleases") ?? false
        entry.olderReleases = isWritable ? .write : isReadable ? .read : .nothing
        entry.replaces = try members.valueIfPresent("replaces") ?? []
        entry.replacedKinds = try members.valueIfPresent("replacedKinds") ?? [:]
        entry.extra = try members.valueIfPresent("extra")
        var row = SuiteLedger.Row(entry)
        row.oldestSupportedVersion = try members.valueIfPresent("oldestSupportedVersion")
        self.row = row
        predecessors = try members.valueIfPresent("predecessors")
        order = try members.valueIfPresent("order") ?? 0
    }

    func row(_ orders: [MigrationOrder]) throws -> SuiteLedger.Row {
        guard let predecessors else { return row }
        let names = orders.indices.contains(order) ? orders[order] : MigrationOrder([])
        guard (0...names.names.count).contains(predecessors) else { throw CocoaError(.coderReadCorrupt) }
        var row = row
        row.predecessors = SuiteLedger.Predecessors(order: names, count: predecessors)
        return row
    }
}
