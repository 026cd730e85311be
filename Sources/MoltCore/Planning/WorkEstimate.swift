/// The estimated number of records that each group of an upgrade will process.
struct WorkEstimate {
    private let records: any RecordTransaction
    private var counts: [ExactName: Int] = [:]
    private var total: Int?
    /// The types, by their names before the current group and in the store.
    private var names: [(current: String, stored: String)] = []

    private init(_ groups: [UpgradeSchedule.Group], _ records: any RecordTransaction) throws {
        self.records = records
        let looksAtRecords = groups.contains { group in
            if case .pass(let steps) = group { steps.contains(where: \.isEdit) } else { false }
        }
        if looksAtRecords { names = try records.typeNames().map { (current: $0, stored: $0) } }
    }

    static func of(_ groups: [UpgradeSchedule.Group], _ records: any RecordTransaction) throws -> [Int] {
        var estimate = try WorkEstimate(groups, records)
        return try groups.map { group in
            switch group {
            case .pass(let steps): try estimate.work(of: steps)
            case .block(let step, _): try step.usesRecords ? estimate.workOfBlock() : 0
            }
        }
    }

    private mutating func work(of steps: [UpgradeSchedule.Step]) throws -> Int {
        let chains = StepChains(steps)
        var work = 0
        for name in names where !chains.chain(typeName: name.current).links.isEmpty {
            let count = try counts[ExactName(name.stored)] ?? records.count(ofType: name.stored)
            counts[ExactName(name.stored)] = count
            work += count
        }
        names = names.compactMap { name in
            chains.finalName(of: name.current).map { (current: $0, stored: name.stored) }
        }
        return work
    }

    /// A block may read any record, so it counts as one reading of each.
    private mutating func workOfBlock() throws -> Int {
        let count = try total ?? records.count(ofType: nil)
        total = count
        return max(1, count)
    }
}
