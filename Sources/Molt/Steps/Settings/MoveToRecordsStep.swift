extension MigrationStep {
    /// Moves settings into records of the cache, for example those that have grown too large for a suite.
    ///
    /// ```swift
    /// .moveToRecords(.setting("history", in: .standard), ofType: "History")
    /// .moveToRecords(.settings(withPrefix: "draft.", in: .standard), ofType: "Draft", key: "drafts/")
    /// ```
    ///
    /// The content becomes JSON as in ``changeForm(_:to:dates:)``; JSON text and JSON data stay byte for byte the same.
    /// The setting is removed after the record is committed. A record with the same key and content is kept, and any
    /// other one fails the upgrade with the code `keyExists`.
    ///
    /// Settings are moved by the first cache that is opened with the migration. In an upgrade of a suite without a cache,
    /// the migration waits if there is anything to move, and so do all later ones on the suite. An app extension that
    /// cannot see the suite cannot open the cache before the app has.
    ///
    /// The type name is that under which the app stores the values, such as `Array<Draft>` for `[Draft]`. Data in a form
    /// that Molt does not read, such as an image, becomes a record of raw data.
    ///
    /// - Parameters:
    ///   - place: The settings.
    ///   - type: The type name of the records.
    ///   - newName: The key of the record, or for a prefix, the text that replaces the prefix in the keys; by default,
    ///     keys stay the same.
    ///   - dates: The form of the dates of a property list in JSON; by default that of Foundation's coders.
    public static func moveToRecords(
        _ place: Place,
        ofType type: String,
        key newName: String? = nil,
        dates: Record.DateForm = .secondsSinceReferenceDate
    ) -> MigrationStep {
        let declaration = MoveToRecordsStep(place: place, type: type, newName: newName, dates: dates)
        guard let settings = place.settings else { return MigrationStep(declaration, .run { _ in }) }
        let attachment = Attachment(
            settings: settings.suite,
            converts: settings.includes,
            usesRecords: true,
            hasFailurePolicy: true
        )
        return MigrationStep(
            declaration,
            .run { try $0.moveToRecords(settings, declaration) },
            attaching: [.suite(settings.suite)],
            attachment
        )
    }
}

struct MoveToRecordsStep: StepDeclaration {
    var place: MigrationStep.Place
    var type: String
    var newName: String?
    var dates: Record.DateForm

    var description: String { "move \(place.name(of: []))\(place.suffix) into records of type \(type)" }
    var losses: [MigrationReport.DataLoss] { dates.losses(of: place) }
    var identity: [String] {
        place.identity(of: "moveToRecords") + [type, newName == nil ? "same" : "new", newName ?? "", dates.rawValue]
    }

    func check(_ check: inout StepCheck) {
        check.use(place)
        if place.settings == nil { check.add("\(place.name(of: [])) is a type of records, not a setting.") }
        if dates == .propertyListDate { check.add("Records are JSON, which has no dates of property lists.") }
        if newName?.isEmpty == true, place.settings?.isPrefix == false { check.add("The new key is empty.") }
        check.delete(place)
        check.create(.records(ofType: type))
    }
}
