extension MigrationStep {
    /// Moves settings into records of the cache, for example those that have grown too large for a suite.
    ///
    /// ```swift
    /// .moveToRecords(.setting("history", in: .standard), ofType: "History")
    /// .moveToRecords(.settings(withPrefix: "draft.", in: .standard), ofType: "Draft", key: "drafts/")
    /// ```
    ///
    /// The content becomes JSON as in ``changeForm(_:to:dates:)``; JSON text and JSON data stay byte for byte the same.
    /// Data in no form that Molt reads, such as an image, becomes a record of raw data.
    ///
    /// A string, number, Boolean or date alone becomes a record only of a type such as `String`, `Int` or `Date`, or if
    /// `settings` declares its form, as for an enum with raw values. Otherwise the setting stays, and the report lists
    /// it as ``MigrationReport/KeyOutcome/Outcome/notConvertible``.
    ///
    /// The setting is removed after the record is committed. If a record already has the key, it must have the same
    /// type and content. Otherwise the upgrade fails with the code `keyExists`.
    ///
    /// If the suite comes back from an older copy, its settings go through all steps on records that follow this one,
    /// so that the records get today's form. A setting stays in the suite, and the report names it, if there is a
    /// record with other content by then, or if a block is among those steps.
    ///
    /// The first cache that is opened with the migration moves the settings. In an upgrade of a suite without a cache,
    /// the migration waits if there is anything to move, or if a step before it may bring something, and so do all
    /// later ones on the suite. An app extension that cannot see the suite cannot open the cache before the app has.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - type: The name under which the app stores the type, such as `Array<Item>` for `[Item]`; `Data` for raw data.
    ///   - newName: The key of the record, or for a prefix, the text that replaces the prefix in the keys; by default,
    ///     keys stay the same.
    ///   - dates: The form of the dates of a property list in JSON; by default that of Foundation's coders.
    public static func moveToRecords(
        _ settings: Settings,
        ofType type: String,
        key newName: String? = nil,
        dates: Record.DateForm = .deferredToDate
    ) -> MigrationStep {
        let declaration = MoveToRecordsStep(place: StepPlace(settings), type: type, newName: newName, dates: dates)
        return MigrationStep(declaration, .settings(.moveToRecords(settings.place, declaration)))
    }
}

struct MoveToRecordsStep: StepDeclaration {
    var place: StepPlace
    var type: String
    var newName: String?
    var dates: Record.DateForm

    var description: String { "move \(place.name(of: []))\(place.suffix) into records of type \(type)" }
    var losses: [MigrationReport.DataLoss] { dates.losses(of: place) }
    var identity: [String] {
        place.identity(of: "moveToRecords") + [type, newName == nil ? "same" : "new", newName ?? "", dates.identity]
    }
    var valueUses: [ValueUse] { [] }

    /// Whether the values of the type are strings, numbers, Booleans or dates.
    var isOfScalars: Bool { Self.scalarTypes.contains(type) }

    private static let scalarTypes: Set<String> = [
        "Bool", "Character", "Date", "Decimal", "Double", "Float", "CGFloat", "String", "Substring", "URL", "UUID",
        "Data",
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    ]

    func check(_ check: inout StepCheck) {
        check.use(place)
        if dates == .propertyListDate { check.add("Records are JSON, which cannot hold a date of a property list.") }
        if newName?.isEmpty == true, place.settings?.isPrefix == false { check.add("The new key is empty.") }
        check.delete(place)
        check.create(.records(ofType: type))
    }
}
