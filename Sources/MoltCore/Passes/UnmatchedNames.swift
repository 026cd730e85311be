import Foundation

/// Finds the names in the steps of a pass that no record has, after the pass.
///
/// It reads nothing if records were changed, as their number is known. If no record had a property, some records of the
/// type are read again for their property names.
struct UnmatchedNames {
    private static let sampleCount = 20

    private let steps: [UpgradeSchedule.Step]
    private let counts: PassCounts
    private let records: any RecordTransaction
    private let coding: RecordCoding
    /// The types with records, by their names before the current step and after all steps.
    private var types: [(name: String, last: String?)] = []
    /// The properties that steps of the pass have changed, by type; records may no longer have them.
    private var changed: [ExactName: [PropertyPath]] = [:]
    /// Sampled records by their type's name after all steps.
    private var samples: [ExactName: [Record]] = [:]
    /// Whether a closure may have changed records to another type.
    private var mayBeRenamed = false

    /// - Parameter typeNames: The types with records before the pass.
    init(
        _ steps: [UpgradeSchedule.Step],
        _ counts: PassCounts,
        typeNames: [String],
        _ scope: UpgradeScope
    ) {
        self.steps = steps
        self.counts = counts
        records = scope.records
        coding = scope.coding
        let chains = StepChains(steps)
        types = typeNames.map { ($0, chains.chain(typeName: $0).lastName) }
        for (stage, step) in steps.enumerated() where counts.stages[stage].changed > 0 {
            guard case .edit(let edit) = step.action, let path = edit.property else { continue }
            changed[ExactName(edit.typeName), default: []].append(path)
        }
    }

    /// Returns the unmatched names by the position of their step in the pass.
    mutating func find() throws -> [Int: UnmatchedName] {
        var found: [Int: UnmatchedName] = [:]
        // In an empty store, unmatched names mean nothing.
        guard !types.isEmpty else { return [:] }
        for (stage, step) in steps.enumerated() {
            switch step.action {
            case .renameType(let name, let newName):
                if !mayBeRenamed, !has(name) { found[stage] = missing(name) }
                for index in types.indices where RecordValue.Object.isSame(types[index].name, name) {
                    types[index].name = newName
                }
            case .deleteType(let name):
                if !mayBeRenamed, !has(name) { found[stage] = missing(name) }
                types.removeAll { RecordValue.Object.isSame($0.name, name) }
            case .edit(let edit):
                let counts = counts.stages[stage]
                mayBeRenamed = mayBeRenamed || edit.runsClosure && counts.changed > 0
                if counts.read == 0 {
                    if !has(edit.typeName) { found[stage] = missing(edit.typeName) }
                } else if let path = edit.property, counts.changed + counts.dropped + counts.quarantined == 0,
                    try !edit.mayKeepValue || !mayHaveBeen(path, in: edit.typeName, at: stage)
                {
                    found[stage] = try missing(path, of: edit.typeName, counts.read)
                }
            case .run:
                break
            }
        }
        return found
    }

    private func has(_ type: String) -> Bool {
        types.contains { RecordValue.Object.isSame($0.name, type) }
    }

    /// Whether a record may have had a property at a step; reads all records of the type if none has it after the pass.
    private func mayHaveBeen(_ path: PropertyPath, in type: String, at stage: Int) throws -> Bool {
        // Later steps of the pass may have removed it, or have changed the types of records.
        for later in steps.indices where later > stage {
            switch steps[later].action {
            case .renameType, .deleteType: return true
            case .edit(let edit) where counts.stages[later].changed > 0:
                if edit.runsClosure { return true }
                if let other = edit.property, other.starts(with: path) || path.starts(with: other) { return true }
            default: break
            }
        }
        guard let last = types.first(where: { RecordValue.Object.isSame($0.name, type) })?.last else { return false }
        let batch = RecordBatch(capacity: Self.sampleCount, coding: coding)
        var after: Int64 = 0
        while true {
            try records.read(into: batch, type: last, after: after, through: .max)
            guard batch.count > 0 else { return false }
            for index in 0..<batch.count {
                after = batch[index].id
                if (try? batch[index].read()) != nil, batch[index].contains(path) { return true }
            }
        }
    }

    private func missing(_ type: String) -> UnmatchedName {
        UnmatchedName(type: type, nearest: UnmatchedName.nearestType(to: type, among: types.map(\.name)))
    }

    private mutating func missing(_ path: PropertyPath, of type: String, _ count: Int) throws -> UnmatchedName {
        let last = types.first { RecordValue.Object.isSame($0.name, type) }?.last
        let records = try last.map { try sample(of: $0) } ?? []
        let changed = changed[ExactName(type)] ?? []
        var name = UnmatchedName(type: type, property: path, recordCount: count, nearest: nil)
        // The first name in the path that no record has is the wrong one.
        for (place, part) in path.parts.enumerated() {
            guard case .name(let part) = part else { continue }
            let outer = PropertyPath(parts: path.parts.prefix(place))
            let names = records.map { $0.names(in: outer) }
            guard !names.contains(where: { $0.contains { RecordValue.Object.isSame($0, part) } }) else { continue }
            let isInElements = records.contains { record in
                record.names(in: outer + .each).contains { RecordValue.Object.isSame($0, part) }
            }
            if isInElements {
                name.nearest = (outer + .each + PropertyPath(parts: path.parts.dropFirst(place))).code
                break
            }
            // A name in few records may be the key of a dictionary, and so part of a value.
            let common = Set(names.joined()).filter { name in names.count { $0.contains(name) } * 2 >= records.count }
            let former = changed.filter { $0.count > place && $0.starts(with: outer) }.map { $0.names[place] }
            name.nearest = UnmatchedName.nearest(
                to: part,
                // An earlier step of the pass has changed one of the same name.
                among: common.union(former).filter { !RecordValue.Object.isSame($0, part) }
            ).map { nearest in
                let rest = PropertyPath(parts: path.parts.dropFirst(place + 1))
                return (outer + PropertyPath(nearest) + rest).code
            }
            break
        }
        return name
    }

    private mutating func sample(of type: String) throws -> [Record] {
        if let sample = samples[ExactName(type)] { return sample }
        let batch = RecordBatch(capacity: Self.sampleCount, coding: coding)
        try self.records.read(into: batch, type: type, after: 0, through: .max)
        samples[ExactName(type)] = (0..<batch.count).compactMap { index in
            var record = batch[index]
            // Unreadable records are skipped.
            return (try? record.read()) == nil ? nil : record
        }
        return samples[ExactName(type)] ?? []
    }
}

extension Record {
    /// The property names of an object in the record, or of the elements at a path.
    fileprivate func names(in path: PropertyPath) -> [String] {
        guard path.count > 0 else { return object.names }
        return self[path].map { Self.names(of: $0, includesElements: path.hasEach) } ?? []
    }

    private static func names(of value: RecordValue, includesElements: Bool) -> [String] {
        if let object = value.object { return object.properties.map(\.name) }
        guard includesElements, let elements = value.array else { return [] }
        return elements.flatMap { names(of: $0, includesElements: true) }
    }
}

extension MigrationReport {
    /// Warns in debug builds, on standard error, of names that are probably misspelled.
    func warnOfNames() {
        for entry in entries {
            for name in entry.steps.flatMap(\.unmatchedNames) where name.nearest != nil {
                DebugWarning.print("migration \(entry.migration): \(name)")
            }
            for key in entry.steps.flatMap(\.keys) where key.outcome == .absent && key.reason != nil {
                DebugWarning.print("migration \(entry.migration): \(key)")
            }
        }
    }
}
