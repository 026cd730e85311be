import Foundation

/// Finds the names in the steps of a pass that no record has, after the pass.
///
/// If records were changed, their number is known, and nothing is read. If no record had a property, records of the
/// type are read again.
final class UnmatchedNames {
    private static let sampleCount = 20

    private let steps: [ScheduledStep]
    private let stepsByType: StepsByType
    private let counts: PassCounts
    private let records: StoreTransaction
    private let configuration: MoltConfiguration
    /// The names of the types with records before the current step.
    private var types: [String]
    /// The types that would have the records of a type that is reported already.
    private var reported: [String] = []
    /// The properties that steps of the pass have changed, by type; records may no longer have them.
    private var changed: [ExactName: [PropertyPath]] = [:]
    /// Sampled records by their type's name after all steps.
    private var samples: [ExactName: [Record]] = [:]
    /// Whether a closure may have changed records to another type.
    private var mayBeRenamed = false

    /// Returns the unmatched names by the position of their step in the pass; none if they are not asked for.
    ///
    /// - Parameter typeNames: The types with records before the pass; none if no one looks for such names.
    static func find(
        in steps: [ScheduledStep],
        _ counts: PassCounts,
        typeNames: [String],
        _ runner: StepRunner
    ) throws -> [Int: [MigrationReport.UnmatchedName]] {
        // In an empty store, unmatched names mean nothing.
        guard !typeNames.isEmpty else { return [:] }
        let names = UnmatchedNames(steps, counts, typeNames, runner)
        return try names.find()
    }

    private init(_ steps: [ScheduledStep], _ counts: PassCounts, _ typeNames: [String], _ runner: StepRunner) {
        self.steps = steps
        self.counts = counts
        records = runner.records
        configuration = runner.configuration
        stepsByType = StepsByType(steps)
        types = typeNames
        for (stepIndex, step) in steps.enumerated() where counts.steps[stepIndex].changed > 0 {
            guard case .edit(let edit, let type) = step.recordWork else { continue }
            changed[ExactName(type), default: []] += edit.properties
        }
    }

    private func find() throws -> [Int: [MigrationReport.UnmatchedName]] {
        var found: [Int: [MigrationReport.UnmatchedName]] = [:]
        for (stepIndex, step) in steps.enumerated() {
            try configuration.checkCancellation()
            switch step.recordWork {
            case .renameType(let name, let newName):
                if !has(name) {
                    found[stepIndex] = mayBeRenamed ? [] : missing(name)
                    reported.append(newName)
                }
                for index in types.indices where ExactName.isSame(types[index], name) {
                    types[index] = newName
                }
            case .deleteType(let name, _), .handOver(let name, _):
                if !mayBeRenamed, !has(name) { found[stepIndex] = missing(name) }
                types.removeAll { ExactName.isSame($0, name) }
            case .edit(let edit, let type):
                let counts = counts.steps[stepIndex]
                mayBeRenamed = mayBeRenamed || edit.runsClosure && counts.changed > 0
                if counts.read == 0 {
                    if !has(type) { found[stepIndex] = missing(type) }
                } else if !edit.notedProperties.isEmpty {
                    let noted = self.counts.found[stepIndex] ?? []
                    for (index, path) in edit.notedProperties.enumerated() where !noted.contains(index) {
                        found[stepIndex, default: []].append(try missing(path, of: type, at: stepIndex))
                    }
                } else if let path = edit.property ?? edit.outer, path.count > 0, !counts.isEffective,
                    !self.counts.takenBack.contains(stepIndex),
                    try !edit.skipsSomeValues || !mayHaveBeen(path, in: type, at: stepIndex)
                {
                    found[stepIndex] = [try missing(path, of: type, at: stepIndex)]
                }
            case nil:
                break
            }
        }
        return found
    }

    private func has(_ type: String) -> Bool {
        types.contains { ExactName.isSame($0, type) }
    }

    /// The name of a type without records; none if it is one that an earlier step has renamed, and that is reported.
    private func missing(_ type: String) -> [MigrationReport.UnmatchedName] {
        guard !reported.contains(where: { ExactName.isSame($0, type) }) else { return [] }
        return [MigrationReport.UnmatchedName(type: type, among: types)]
    }

    /// The name that a type has after all steps, given its name at one; nil if a step deletes it.
    private func lastName(of type: String, after stepIndex: Int) -> String? {
        stepsByType.chain(from: stepIndex + 1, typeName: type).lastName
    }

    /// Whether a record may have had a property at a step; reads all records of the type if none has it after the pass.
    private func mayHaveBeen(_ path: PropertyPath, in type: String, at stepIndex: Int) throws -> Bool {
        // Later steps may have removed it from records of the type, or such records from the type.
        guard let last = lastName(of: type, after: stepIndex) else { return true }
        let later = stepsByType.chain(from: stepIndex + 1, typeName: type).steps
        for step in later where counts.steps[step.index].isEffective {
            if step.edit.runsClosure { return true }
            if let other = step.edit.property, other.starts(with: path) || path.starts(with: other) { return true }
        }
        let batch = RecordBatch(capacity: Self.sampleCount)
        var after: Int64 = 0
        while true {
            try configuration.checkCancellation()
            try records.read(into: batch, types: [last], after: after, through: .max)
            guard batch.count > 0 else { return false }
            for index in 0..<batch.count {
                after = batch[index].id
                if (try? batch[index].read()) != nil, batch[index].contains(path) { return true }
            }
        }
    }

    private func missing(_ path: PropertyPath, of type: String, at stepIndex: Int) throws
        -> MigrationReport.UnmatchedName
    {
        let records = try lastName(of: type, after: stepIndex).map { try sample(of: $0) } ?? []
        return MigrationReport.UnmatchedName(
            type: type,
            property: path,
            recordCount: counts.steps[stepIndex].read,
            nearest: path.nearest(in: records, changed: changed[ExactName(type)] ?? [])
        )
    }

    private func sample(of type: String) throws -> [Record] {
        if let sample = samples[ExactName(type)] { return sample }
        let batch = RecordBatch(capacity: Self.sampleCount)
        try self.records.read(into: batch, types: [type], after: 0, through: .max)
        samples[ExactName(type)] = (0..<batch.count).compactMap { index in
            var record = batch[index]
            // Unreadable records are skipped.
            return (try? record.read()) == nil ? nil : record
        }
        return samples[ExactName(type)] ?? []
    }
}

extension MigrationReport.Counts {
    /// Whether a step has changed or removed a record.
    fileprivate var isEffective: Bool { changed + dropped + quarantined > 0 }
}

extension PropertyPath {
    /// The path that is probably meant by one that none of some records has, as in code; nil if none is similar.
    ///
    /// - Parameter changed: The paths that earlier steps have changed; records may no longer have them.
    func nearest(in records: [Record], changed: [PropertyPath] = []) -> String? {
        // The first name in the path that no record has is the wrong one.
        for (index, part) in parts.enumerated() {
            guard let name = part.name else { continue }
            let outer = PropertyPath(parts: parts.prefix(index))
            let own = PropertyPath(parts: [part])
            guard !records.contains(where: { $0.contains(outer + own) }) else { continue }
            if records.contains(where: { $0.contains(outer + .each + own) }) {
                return (outer + .each + PropertyPath(parts: parts.dropFirst(index))).code
            }
            let former = changed.filter { $0.count > index && $0.starts(with: outer) }.map { $0.names[index] }
            return MigrationReport.UnmatchedName.nearest(
                to: name,
                // An earlier step of the pass has changed one of the same name.
                among: outer.properties(in: records).union(former).filter { !ExactName.isSame($0, name) }
            ).map { nearest in
                let rest = PropertyPath(parts: parts.dropFirst(index + 1))
                return (outer + PropertyPath(nearest) + rest).code
            }
        }
        return nil
    }

    /// The most names of a record that are looked at: an object with more is a dictionary.
    private static let mostNames = 256

    /// Whether a byte may be in the name of a property; an address of mail, for one, is a key of a dictionary.
    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x80...: true
        default: false
        }
    }

    /// The names in the objects at the path that are probably properties, and not keys of dictionaries, which are part
    /// of a value.
    ///
    /// All of several objects inside of records must have such a name.
    private func properties(in records: [Record]) -> Set<String> {
        let names = records.map { Set($0.names(in: self).prefix(Self.mostNames)) }
        let objectCount = names.count { !$0.isEmpty }
        // One setting is all that there is, and not one of many that were not sampled.
        let isAlone = records.count == 1 && records[0].isSetting
        var counts: [String: Int] = [:]
        for name in names.joined() where name.utf8.allSatisfy(Self.isPartOfName) { counts[name, default: 0] += 1 }
        let found = counts.filter { _, count in
            parts.isEmpty ? count * 2 >= names.count : (count > 1 || isAlone) && count == objectCount
        }
        return Set(found.keys)
    }
}

extension Record {
    /// The property names of an object in the record, or of the elements at a path.
    fileprivate func names(in path: PropertyPath) -> [String] {
        guard path.count > 0 else { return propertyNames }
        return self[path].map { Self.names(of: $0, at: path) } ?? []
    }

    /// - Parameter path: Where the value is; the elements of an array have names only if it has any.
    private static func names(of value: RecordValue, at path: PropertyPath) -> [String] {
        if let object = value.object { return object.properties.map(\.name) }
        guard path.hasEach, let elements = value.array else { return [] }
        return elements.flatMap { names(of: $0, at: path) }
    }
}

extension MigrationReport {
    /// Warns in debug builds, on standard error, of names that are probably misspelled.
    func warnOfNames() {
        for entry in entries {
            for name in entry.steps.flatMap(\.unmatched) where name.nearest != nil {
                DebugWarning.print("migration \(entry.migration): \(name)")
            }
            for key in entry.steps.flatMap(\.keys)
            where key.outcome == .notNamed || key.outcome == .absent && key.reason != nil {
                DebugWarning.print("migration \(entry.migration): \(key)")
            }
        }
        for note in notesOnChecks { DebugWarning.print(note) }
    }
}
