/// The data that a dry run collects for each step: samples of its changes, and the properties that closures lose.
final class DryRunNotes: Sendable {
    private struct Note {
        /// The samples with the lowest ids, so that they do not depend on the number of cores.
        var samples: [(id: Int64, sample: MigrationReport.Sample)] = []
        /// The number of records that lost a property, by the property with its type.
        var lost: [String: Int] = [:]

        mutating func addLost(_ names: [String]) {
            // The names of a record that is a dictionary have no limit.
            for name in names where lost[name] != nil || lost.count < 100 { lost[name, default: 0] += 1 }
        }
    }

    let sampleCount: Int
    private let notes = Locked<[ScheduledStep.ID: Note]>([:])

    /// Returns nil for a run that takes no notes.
    init?(_ mode: RunMode) {
        guard let count = mode.sampleCount else { return nil }
        sampleCount = count
    }

    /// Adds a change of a record by a step to the samples.
    ///
    /// - Parameters:
    ///   - before: The record before the step; nil if the step created it.
    ///   - after: The record after the step; nil if the step deleted it.
    ///   - replaces: Whether it takes the place of the last sample of the record.
    func add(_ before: Record?, _ after: Record?, by step: ScheduledStep.ID, replacing replaces: Bool = false) {
        guard sampleCount > 0 else { return }
        // A new record has no id at first.
        let id = before?.id ?? 0
        notes.withLock { notes in
            var note = notes[step] ?? Note()
            if replaces, let key = (before ?? after)?.key,
                let last = note.samples.lastIndex(where: { sample in
                    sample.id == id && ExactName.isSame(sample.sample.key, key)
                        && (sample.sample.before == nil) == (before == nil)
                })
            {
                note.samples.remove(at: last)
            }
            let index = note.samples.firstIndex { $0.id > id } ?? note.samples.count
            // A step that left malformed content has failed already.
            if index < sampleCount, let sample = try? MigrationReport.Sample(before: before, after: after) {
                note.samples.insert((id, sample), at: index)
                if note.samples.count > sampleCount { note.samples.removeLast() }
            }
            notes[step] = note
        }
    }

    /// Notes the properties that a record, or the content of a setting, has lost in a closure.
    func noteLost(_ before: Record?, _ after: Record?, by step: ScheduledStep.ID) {
        let lost = lostProperties(before, after)
        guard !lost.isEmpty else { return }
        notes.withLock { $0[step, default: Note()].addLost(lost) }
    }

    private func lostProperties(_ before: Record?, _ after: Record?) -> [String] {
        guard let before, var after, !after.isDropped, !before.isData else { return [] }
        // Content that cannot be read was reported by the step.
        try? after.read()
        let names = after.propertyNames
        return before.propertyNames.filter { name in
            !names.contains { ExactName.isSame($0, name) } && before[PropertyPath(name)] != .null
        }.map { "\(before.typeName).\($0)" }
    }

    func samples(of step: ScheduledStep.ID) -> [MigrationReport.Sample] {
        notes.withLock { $0[step]?.samples.map(\.sample) ?? [] }
    }

    /// The properties that closures lost, by name.
    func losses(_ kind: MigrationReport.DataLoss.Kind = .property, of step: ScheduledStep.ID) -> [MigrationReport
        .DataLoss]
    {
        let lost = notes.withLock { $0[step]?.lost ?? [:] }
        return lost.sortedByKey.map { MigrationReport.DataLoss(kind, $0, count: $1) }
    }
}
