extension MigrationPlan {
    /// A setting that needs the developer's attention.
    ///
    /// A note does not contain the setting's value.
    package struct SettingNote: Equatable, Sendable {
        /// Why a setting is named.
        package enum Kind: Equatable, Sendable {
            /// It is larger than ``MoltConfiguration/largeSettingSize``.
            ///
            /// The size counts strings, data and keys as they are, and 8 bytes for each other value.
            case large(byteCount: Int)
            /// Its value probably has an old form that a pending migration converts, and no migration names it.
            case notNamed(migration: MigrationID)
        }

        /// The suite as plans and reports name it, such as `standard` or `suite group.com.example.app`.
        package var suite: String
        /// The setting's key.
        package var key: String
        /// Why it is named.
        package var kind: Kind
    }

    /// The settings that are large, the largest first, and then those that the conversions that will run forget.
    func notes(on suites: [String: AttachedStores.SuiteState], _ stores: AttachedStores) -> [SettingNote] {
        guard stores.readsUnchangedSettings || entries.contains(where: \.willRun) else { return [] }
        // The migrations that need a suite report why it cannot be read.
        let values = suites.compactMapValues { try? $0.content?.values() }
        return large(values, stores.largeSettingSize) + forgotten(values, stores.registry)
    }

    private func large(_ suites: [String: [String: PropertyListValue]], _ limit: Int?) -> [SettingNote] {
        guard let limit else { return [] }
        let notes = suites.flatMap { suite, values in
            values.compactMap { key, value -> SettingNote? in
                let byteCount = value.byteCount
                guard byteCount > limit, !Suite.reservedKeys.contains(key) else { return nil }
                return SettingNote(suite: suite, key: key, kind: .large(byteCount: byteCount))
            }
        }
        return notes.ordered { ($1.byteCount ?? 0, $0.suite, $0.key) < ($0.byteCount ?? 0, $1.suite, $1.key) }
    }

    private func forgotten(
        _ suites: [String: [String: PropertyListValue]],
        _ registry: MigrationRegistry
    ) -> [SettingNote] {
        var notes: [SettingNote] = []
        /// The keys by suite; two conversions may forget the same.
        var found: [String: Set<String>] = [:]
        for entry in entries where entry.willRun {
            for step in entry.declaration.steps where entry.actions.runs(step) {
                guard case .settings(.convert(let suite, _, let isOldForm, _)) = step.work,
                    case let suite = suite.attachedName, let values = suites[suite]
                else { continue }
                for key in registry.forgottenKeys(of: suite, in: values, isOldForm)
                where found[suite, default: []].insert(key).inserted {
                    notes.append(SettingNote(suite: suite, key: key, kind: .notNamed(migration: entry.migration)))
                }
            }
        }
        return notes
    }

    /// A line for each note, up to ten of a kind.
    var noteLines: [String] {
        let shown = 10
        let kinds = [settingNotes.filter { $0.byteCount != nil }, settingNotes.filter { $0.byteCount == nil }]
        return kinds.flatMap { notes in
            let more = notes.count - shown
            return notes.prefix(shown).map { "  \($0)" } + (more > 0 ? ["  and \(DisplayText.grouped(more)) more"] : [])
        }
    }
}

extension MigrationPlan.SettingNote {
    /// The size of a large setting; nil for others.
    package var byteCount: Int? {
        if case .large(let byteCount) = kind { byteCount } else { nil }
    }
}

extension MigrationPlan.SettingNote: CustomStringConvertible {
    /// The setting and why it is named, in one line.
    package var description: String {
        let text =
            switch kind {
            case .large(let byteCount):
                "large: \"\(key)\" of \(suite) has \(DisplayText.bytes(byteCount)); a suite is read as a whole, so move "
                    + "it into a record or a file"
            case .notNamed(let migration):
                "not named: \"\(key)\" of \(suite) probably has an old form, and no migration converts it: add it to the "
                    + "keys of \(migration), or to `except`"
            }
        return ErrorSummary.oneLine(text)
    }
}
