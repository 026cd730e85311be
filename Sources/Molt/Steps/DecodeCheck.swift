/// A check that decodes the values that an upgrade has changed; see
/// ``MigrationRegistry/checkingDecodes(_:as:coding:)``.
///
/// It is the last step of a migration that changes values, and no part of its fingerprint.
struct DecodeCheck: Sendable {
    let place: StepPlace
    /// The name of the type in code.
    private let model: String
    /// The coders with which the app reads the values; nil for those of the registry or, of settings, Foundation's.
    private let coding: RecordCoding?
    private let decodeRecord: @Sendable (Record) throws -> Void
    private let decodeSetting: @Sendable (PropertyListValue, SettingForm?, RecordCoding) throws -> Void

    init<Value: Decodable & SendableMetatype>(_ place: StepPlace, _ type: Value.Type, _ coding: RecordCoding?) {
        self.place = place
        self.coding = coding
        model = String(describing: type)
        let advice =
            "The upgrade would store a value that the app cannot read. Correct the migration, or the type \(type)."
        decodeRecord = { record in
            try Self.advising(advice) { _ = try record.decoded(as: type) }
        }
        decodeSetting = { value, form, coding in
            try Self.advising(advice) { _ = try value.decoded(as: type, in: form, coding: coding) }
        }
    }

    /// Replaces the advice of an error, which is for a closure with a model of an earlier release.
    private static func advising(_ advice: String, _ decode: () throws -> Void) throws {
        do {
            try decode()
        } catch let error as SettingContent.Unreadable {
            throw MoltError(.typeMismatch, "It is \(error.reason).", advice: advice)
        } catch var error as MoltError {
            error.advice = advice
            throw error
        }
    }

    /// The step of one migration.
    ///
    /// - Parameters:
    ///   - renamings: The steps that give records of another type the name.
    ///   - registryCoding: The coders of today's records.
    func step(after renamings: [Renaming], _ registryCoding: RecordCoding) -> MigrationStep {
        let coding = coding ?? (place.settings == nil ? registryCoding : .standard)
        let check = OfEdit(after: renamings, coding: coding) { [decodeSetting] in try decodeSetting($0, $1, coding) }
        let edit = RecordEdit(skipsSomeValues: true, isParallel: true, check: check) { [decodeRecord] record in
            try decodeRecord(record)
        }
        return MigrationStep(Declaration(place: place, model: model), at: place, edit)
    }

    /// The part of it that the edit of its step has.
    final class OfEdit: Sendable {
        let coding: RecordCoding
        let decodeSetting: @Sendable (PropertyListValue, SettingForm?) throws -> Void
        let renamings: [Renaming]

        init(
            after renamings: [Renaming],
            coding: RecordCoding,
            decodeSetting: @escaping @Sendable (PropertyListValue, SettingForm?) throws -> Void
        ) {
            self.renamings = renamings
            self.coding = coding
            self.decodeSetting = decodeSetting
        }
    }

    private struct Declaration: StepDeclaration {
        var place: StepPlace
        var model: String

        var description: String {
            "check: changed \(place.type == nil ? "settings" : "records") of \(place.name(of: []))\(place.suffix) decode "
                + "as \(model)"
        }
        var identity: [String] { ["check"] }
        var losses: [MigrationReport.DataLoss] { [] }
        var valueUses: [ValueUse] { [] }

        func check(_ check: inout StepCheck) {}
    }
}

extension DecodeCheck {
    /// Whether a migration may change values of the place.
    func concerns(_ migration: Migration) -> Bool {
        guard let settings = place.settings else {
            return migration.changes.contains { step in
                // A closure that has the whole record may also give it another type.
                if case .records(.edit(let edit, _)) = step.work, edit.mayGiveKey { return true }
                return step.work.recordTypes.intersects(.these([place.type?.text ?? ""]))
            }
        }
        return migration.changes.contains { $0.settings?.attachedName == settings.suite.attachedName }
    }

    /// A step that gives records of another type the name of the check's.
    struct Renaming: Sendable {
        var migration: MigrationID
        /// The step's position in the migration.
        var number: Int
    }

    /// Those of migrations, by their declarations.
    func renamings(in migrations: [Migration]) -> [Renaming] {
        migrations.flatMap { migration in
            migration.steps.enumerated().compactMap { number, step -> Renaming? in
                guard case .records(.renameType(_, let newName)) = step.work, place.type == ExactName(newName) else {
                    return nil
                }
                return Renaming(migration: migration.id, number: number)
            }
        }
    }
}

extension PropertyListValue {
    /// Decodes a setting as the app does.
    ///
    /// - Parameters:
    ///   - type: The type that the app reads.
    ///   - form: The setting's form; nil if the value shows it.
    ///   - coding: The coders of JSON; a property list is always decoded with `PropertyListDecoder`.
    /// - Throws: `SettingContent.Unreadable`, or ``MoltError``.
    package func decoded<Value: Decodable>(
        as type: Value.Type,
        in form: SettingForm? = nil,
        coding: RecordCoding
    ) throws -> Value {
        // A native string may look like JSON, and native data may be anything.
        if let string, let value = string as? Value { return value }
        if let data, let value = data as? Value { return value }
        return try SettingContent(self, in: form, coding: coding).record.decoded(as: type)
    }
}
