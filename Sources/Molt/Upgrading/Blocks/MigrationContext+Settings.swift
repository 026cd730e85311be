internal import Foundation

extension MigrationContext {
    /// Does what a step does to the settings of a suite.
    func run(_ work: SettingsWork) throws {
        switch work {
        case .edit(let place, let edit):
            if let check = edit.check { try self.check(place, check) } else { try change(place, edit) }
        case .changeForm(let place, let declaration):
            try change(place) { try $0.changeForm(to: declaration.form, dates: declaration.dates) }
        case .removeKeys(let declaration): try removeKeys(declaration)
        case .handOver(let declaration): try handOver(declaration)
        case .renameKeys(let declaration): try renameKeys(declaration)
        case .moveToRecords(let place, let declaration): try moveToRecords(place, declaration)
        case .convert(_, _, _, let body), .receive(_, _, _, let body), .block(_, let body): try body(self)
        }
    }

    /// Changes the content of each setting of a place, in the form in which it is stored.
    private func change(_ place: SettingsPlace, _ edit: RecordEdit) throws {
        var contents: [Record] = []
        try change(place, reasonToKeep: edit.reasonToKeep) { content in
            let before = content.record
            contents.append(before)
            guard edit.mayChange(before) else { return }
            if let reason = before.obstacle(for: edit) { throw SettingContent.Unreadable(reason: reason) }
            if content.form == .jsonTexts, edit.property?.count == 0 { throw Self.wholeOfTexts }
            try edit.apply(&content.record)
            if edit.runsClosure { runner.notes?.noteLost(before, content.record, by: step.id) }
        }
        noteUnmatched(edit, of: place, contents)
    }

    /// Decodes the settings of a place that the upgrade has changed, and notes those that do not decode.
    private func check(_ place: SettingsPlace, _ check: DecodeCheck.OfEdit) throws {
        let settings = try suite(place.suite)
        for key in try place.keys(in: settings) where settings.hasChanged(key) {
            try configuration.checkCancellation()
            guard let value = try settings.content(of: key, for: migration.name) else { continue }
            do {
                try check.decodeSetting(value, place.form)
            } catch {
                let outcome = MigrationReport.KeyOutcome(store: settings.name, key: key, outcome: .absent)
                keys.append(try outcomeUnderPolicy(of: error, outcome, settings))
            }
        }
    }

    /// Changes each setting of a place, and notes the outcomes.
    ///
    /// - Parameters:
    ///   - reasonToKeep: Why a content was not changed, if that is not because it is current.
    ///   - body: Changes the content; `SettingContent.Unreadable` leaves the setting as it is.
    private func change(
        _ place: SettingsPlace,
        reasonToKeep: ((Record) -> String?)? = nil,
        _ body: (inout SettingContent) throws -> Void
    ) throws {
        let settings = try suite(place.suite)
        try forEachKey(of: place, settings) { key in
            try change(key, of: place, settings, reasonToKeep, body)
        }
    }

    /// Notes the outcomes for the keys of a place, without those that an earlier step of the migration could not
    /// convert.
    private func forEachKey(
        of place: SettingsPlace,
        _ settings: SuiteEditor,
        _ body: (String) throws -> MigrationReport.KeyOutcome
    ) throws {
        let keys = try place.keys(in: settings)
        let convertible = keys.filter { !settings.isUnconverted($0, in: migration.name) }
        let outcomes = try convertible.map { key in
            try configuration.checkCancellation()
            return try body(key)
        }
        if !convertible.isEmpty || keys.isEmpty { try note(outcomes, of: place, among: settings.keys) }
    }

    private func removeKeys(_ declaration: RemoveSettingsStep) throws {
        let settings = try suite(declaration.suite)
        for place in declaration.places {
            let outcomes = try place.keys(in: settings).map { key in
                let isThere = try settings.value(forKey: key) != nil
                try settings.removeValue(forKey: key)
                return MigrationReport.KeyOutcome(store: settings.name, key: key, outcome: isThere ? .removed : .absent)
            }
            try note(outcomes, of: place, among: settings.keys)
        }
    }

    private func handOver(_ declaration: HandOverSettingsStep) throws {
        let settings = try suite(declaration.suite)
        let source = HandoverSource(step)
        for place in declaration.places {
            let outcomes = try place.keys(in: settings).map { key in
                var outcome = MigrationReport.KeyOutcome(store: settings.name, key: key, outcome: .absent)
                guard let value = try settings.value(forKey: key) else { return outcome }
                let json = Array(try JSONEncoder().encode(value))
                try perform(at: UpgradePoint(.takeOut, key)) {
                    try $0.handOver(setting: key, json, of: settings.name, from: source)
                }
                try settings.removeValue(forKey: key)
                (outcome.outcome, outcome.reason) = (.moved, "to \(declaration.destination)")
                return outcome
            }
            try note(outcomes, of: place, among: settings.keys)
        }
    }

    private func renameKeys(_ declaration: RenameSettingsStep) throws {
        let place = declaration.place
        let copies = declaration.copies
        let settings = try suite(place.suite)
        var conflictCount = 0
        let outcomes = try declaration.keys(of: settings).map { key in
            let newKey = place.newKey(for: key, declaration.newName)
            guard !newKey.isEmpty else {
                throw MoltError(
                    .cannotStore,
                    "The key would be empty without its prefix.",
                    advice: "Choose another prefix.",
                    key: key
                )
            }
            let policy = declaration.onConflict
            let arrival =
                try copies
                ? settings.copying(key, to: newKey, policy) : settings.renaming(key, to: newKey, policy)
            var outcome = MigrationReport.KeyOutcome(store: settings.name, key: key, outcome: .absent)
            if arrival != .absent {
                outcome.outcome = copies ? .copied : .renamed
                outcome.reason = "to \(newKey)"
            }
            switch arrival {
            case .absent, .free: return outcome
            case .kept: (outcome.outcome, outcome.reason) = (.kept, "\(newKey) has another value, which stays")
            case .replaced: (outcome.outcome, outcome.reason) = (.replaced, "the value of \(newKey)")
            case .merged: outcome.reason = "to \(newKey), merged with its value"
            }
            conflictCount += 1
            return outcome
        }
        if conflictCount > 0, let loss = declaration.losses.first {
            settingLosses.append(.conflicts(at: loss.meetingPlace, count: conflictCount))
        }
        try note(outcomes, of: place, among: settings.keys)
    }

    private func moveToRecords(_ place: SettingsPlace, _ declaration: MoveToRecordsStep) throws {
        let settings = try suite(place.suite)
        try forEachKey(of: place, settings) { key in
            var outcome = MigrationReport.KeyOutcome(store: settings.name, key: key, outcome: .absent)
            guard let value = try settings.value(forKey: key) else { return outcome }
            do {
                if let reason = arrival?.obstacle {
                    (outcome.outcome, outcome.reason) = (.kept, reason)
                    return outcome
                }
                let newKey = declaration.newName.map { place.newKey(for: key, $0) } ?? key
                guard !newKey.isEmpty else { throw Self.emptyKey }
                (outcome.outcome, outcome.reason) = try addRecord(of: value, in: place.form, declaration, key: newKey)
                if outcome.outcome != .kept { try settings.removeValue(forKey: key) }
                return outcome
            } catch let error as SettingContent.Unreadable {
                (outcome.outcome, outcome.reason) = (.notConvertible, error.reason)
                return outcome
            } catch {
                return try outcomeUnderPolicy(of: error, outcome, settings)
            }
        }
    }

    /// - Returns: What has become of the setting: if the step runs again, on a suite that was put back from a copy,
    ///   there may be another record.
    private func addRecord(
        of value: PropertyListValue,
        in form: SettingForm?,
        _ declaration: MoveToRecordsStep,
        key: String
    ) throws -> (MigrationReport.KeyOutcome.Outcome, reason: String) {
        let moved = try record(of: value, in: form, declaration, key: key)
        let documents = try arrival?.documents(from: moved)
        if let documents, documents[0].isDropped {
            // Those that were extracted from it stay.
            try insert(documents)
            if let step = documents[0].handedOverBy { return (.moved, "to be handed over by \(step.positionInReason)") }
            return (.removed, "later steps drop the record \"\(key)\" of type \(declaration.type)")
        }
        let new = documents?[0].record ?? moved
        let target = "the record \"\(new.key)\""
        if let other = try record(forKey: new.key) {
            guard try !other.isSame(as: new) else { return (.moved, "to \(target) of type \(new.typeName)") }
            if step.pending.actions.runsAgain { return (.kept, "\(target) exists, with other content") }
            throw MoltError(
                .keyExists,
                "The setting would become a record with the key \"\(new.key)\", which another record has.",
                advice: "Choose another key, or change the record's key in an earlier migration."
            )
        }
        if let documents { try insert(documents) } else { try create(new, expiration: nil) }
        return (.moved, "to \(target) of type \(new.typeName)")
    }

    /// A record with the content of a setting; data in no form that Molt reads becomes raw data.
    private func record(
        of value: PropertyListValue,
        in form: SettingForm?,
        _ declaration: MoveToRecordsStep,
        key: String
    ) throws -> Record {
        let new: Record
        do {
            var content = try SettingContent(value, key: key, in: form)
            try content.changeForm(to: .jsonData, dates: declaration.dates)
            new = try Record(key: key, typeName: declaration.type, json: content.record.writtenContent)
        } catch let error as SettingContent.Unreadable {
            guard let data = value.data else { throw error }
            return record(declaration.type, forKey: key, data: Array(data))
        }
        if form == nil, let kind = new.loneScalar, !declaration.isOfScalars {
            throw SettingContent.Unreadable(
                reason: "\(kind) alone, and probably no \(declaration.type); if it is one, declare the setting's form"
            )
        }
        return new
    }

    private func change(
        _ key: String,
        of place: SettingsPlace,
        _ settings: SuiteEditor,
        _ reasonToKeep: ((Record) -> String?)?,
        _ body: (inout SettingContent) throws -> Void
    ) throws -> MigrationReport.KeyOutcome {
        var outcome = MigrationReport.KeyOutcome(store: settings.name, key: key, outcome: .absent)
        guard let value = try settings.content(of: key, for: migration.name) else { return outcome }
        do {
            var content = try SettingContent(
                value,
                key: key,
                typeName: place.label,
                in: place.form,
                coding: migration.settingCoding
            )
            let before = content.record
            try body(&content)
            if let failure = content.record.failure { throw failure }
            let part = content.record.changedPart(key: nil, typeName: before.typeName, expiration: nil)
            if let part { throw Self.changed(part) }
            if content.record.isDropped {
                try settings.removeValue(forKey: key)
                outcome.outcome = .removed
            } else if content.record.revision != before.revision {
                let new = try content.value()
                if let new { try settings.set(new, forKey: key) } else { try settings.removeValue(forKey: key) }
                outcome.outcome = new == nil ? .removed : new == value ? .alreadyCurrent : .changed
            } else if let reason = reasonToKeep?(before) {
                (outcome.outcome, outcome.reason) = (.kept, reason)
            } else {
                outcome.outcome = .alreadyCurrent
            }
        } catch let error as SettingContent.Unreadable {
            (outcome.outcome, outcome.reason) = (.notConvertible, error.reason)
        } catch {
            outcome = try outcomeUnderPolicy(of: error, outcome, settings)
        }
        return outcome
    }

    /// The outcome of a setting that the step cannot convert, if the policy does not stop the upgrade.
    private func outcomeUnderPolicy(
        of error: any Error,
        _ outcome: MigrationReport.KeyOutcome,
        _ settings: SuiteEditor
    ) throws -> MigrationReport.KeyOutcome {
        var failure = MoltError(error, in: step, key: outcome.key, store: runner.storeName)
        // The setting's, also if it has become a record.
        (failure.key, failure.type) = (outcome.key, nil)
        failure.suite = settings.name
        // As with records, both values are whole if a record has the key of a setting.
        guard failurePolicy.tolerates(failure), failure.code != .keyExists else { throw failure }
        try runner.failures.count(setting: failure, at: step)
        var outcome = outcome
        unconvertedKeys.insert(outcome.key)
        outcome.reason = MigrationReport.RecordFailure(failure, in: step, firstStep: step.number).reason
        if case .drop = failurePolicy {
            try settings.removeValue(forKey: outcome.key)
            outcome.outcome = .removed
        } else {
            try settings.leaveContent(of: outcome.key)
            outcome.outcome = .notConvertible
        }
        return outcome
    }

    private static func changed(_ part: String) -> MoltError {
        MoltError(
            .stepFailed,
            "A closure has changed the \(part) of a setting. It may only change the content.",
            advice: part == "key" ? "Use the step `renameSetting`." : nil
        )
    }

    private static var emptyKey: MoltError {
        MoltError(.cannotStore, "The setting would become a record with an empty key.", advice: "Choose another key.")
    }

    private static var wholeOfTexts: MoltError {
        MoltError(
            .typeMismatch,
            "The setting is an array or dictionary of JSON texts, and cannot be changed as a whole.",
            advice: "First change its form with `changeForm`, or name the elements with `.each`."
        )
    }

    private func noteUnmatched(_ edit: RecordEdit, of place: SettingsPlace, _ contents: [Record]) {
        guard runner.findsUnmatchedNames, !contents.isEmpty else { return }
        for path in edit.namedProperties where !contents.contains(where: { $0.contains(path) }) {
            unmatchedNames.append(
                MigrationReport.UnmatchedName(
                    type: place.label,
                    suite: place.suite.attachedName,
                    property: path,
                    recordCount: contents.count,
                    nearest: path.nearest(in: contents)
                )
            )
        }
    }
}

extension Record {
    /// Whether another record has the same type and content, whatever the order of properties.
    fileprivate func isSame(as other: Record) throws -> Bool {
        try ExactName.isSame(typeName, other.typeName) && data == other.data
            && (isData || content().sorted.json() == other.content().sorted.json())
    }

    /// Why a setting's content cannot have the properties that an edit changes; nil if it can.
    fileprivate func obstacle(for edit: RecordEdit) -> String? {
        guard let first = edit.properties.first?.parts.first ?? edit.newProperty?.parts.first else { return nil }
        guard !isObject, let content = self[[]], !content.isNull else { return nil }
        switch first {
        case .name: return "\(content.kind), which has no properties"
        case .each: return content.array == nil ? "\(content.kind), which has no elements" : nil
        }
    }

    /// The kind of a content that is neither an object nor an array nor null; nil for those.
    fileprivate var loneScalar: String? {
        guard let content = self[[]], !content.isNull, content.array == nil, content.object == nil else { return nil }
        return content.kind
    }
}
