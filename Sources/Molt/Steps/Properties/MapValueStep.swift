extension MigrationStep {
    /// Replaces values of a property with others in the records of a type, or in settings.
    ///
    /// ```swift
    /// .mapValue("Order", "status", ["open": "active", "done": "archived"], otherwise: .fail)
    /// ```
    ///
    /// Use it for example when cases of an enum are renamed. Null is left as it is, unless `values` names it. Nothing
    /// is created where the property is missing. In settings, an integer also names a whole `Double` of a property
    /// list, which has no literal of its own.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - values: The new values, keyed by the old ones.
    ///   - other: What happens to all other values; by default they are kept.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func mapValue(
        _ place: some Place,
        _ path: PropertyPath,
        _ values: [RecordValue: RecordValue],
        otherwise other: Record.OtherValue = .keep,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        let map = ValueMap(values, otherwise: other, at: path)
        return MigrationStep(MapValueStep(place: StepPlace(place), path: path, map: map, ifMissing: ifMissing))
    }

    /// Replaces keys or values of a dictionary with others, in the records of a type, or in settings.
    ///
    /// ```swift
    /// .mapValue("Shop", "labels", in: .keys, ["apple": "malus"])      // {"apple":1} becomes {"malus":1}
    /// .mapValue("Shop", "labels", in: .values, [1: "one"])            // ["apple",1] becomes ["apple","one"]
    /// ```
    ///
    /// The dictionary is an object, or an array in which keys and values alternate; see
    /// ``changeDictionary(_:_:to:ifMissing:)``. Keys may change places, since all are replaced at once. An integer as a
    /// key of an object is named as an integer or a string, but not as both. Everything else stays byte for byte the
    /// same in JSON.
    ///
    /// A value that is neither an object nor such an array fails the upgrade with the code `typeMismatch`, and so do
    /// two entries that would have one key. Null stays null.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the dictionary.
    ///   - part: Whether the keys or the values are replaced.
    ///   - values: The new keys or values, keyed by the old ones. Keys are strings or integers.
    ///   - other: What happens to all other keys or values; by default they are kept. An entry is removed as a whole.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func mapValue(
        _ place: some Place,
        _ path: PropertyPath,
        in part: Record.DictionaryPart,
        _ values: [RecordValue: RecordValue],
        otherwise other: Record.OtherValue = .keep,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        let map = ValueMap(values, otherwise: other, at: path + .each)
        return MigrationStep(
            MapValueStep(place: StepPlace(place), path: path, part: part, map: map, ifMissing: ifMissing)
        )
    }
}

struct MapValueStep: RecordStep {
    var place: StepPlace
    var path: PropertyPath
    /// The part of a dictionary whose values are replaced; nil for the value itself.
    var part: Record.DictionaryPart?
    var map: ValueMap
    var ifMissing: Record.MissingProperty

    var description: String { "map the \(part?.identity ?? "values") of \(place.name(of: path))\(place.suffix)" }
    var identity: [String] {
        place.identity(of: part.map { "mapValue in \($0.identity)" } ?? "mapValue") + path.identity + map.identity
            + [ifMissing.identity]
    }
    var valueUses: [ValueUse] {
        [.literals(map.values, at: PropertyPlace(place, part == nil ? path : path + .each))]
    }
    /// Whether a record or a setting with another value is removed.
    private var dropsWhole: Bool { part == nil && path.count == 0 && map.other == .remove }
    var losses: [MigrationReport.DataLoss] {
        // Two keys cannot become one.
        let isLossy = part == .keys ? map.other.isLossy : map.isLossy
        return isLossy ? [MigrationReport.DataLoss(.values, place.name(of: path))] : []
    }

    var edit: RecordEdit {
        let map = place.settings == nil ? map : map.ofSettings
        // The closure would copy the whole step for each record.
        let (path, part, ifMissing) = (path, part, ifMissing)
        return RecordEdit(
            property: path,
            skipsSomeValues: true,
            mayDrop: dropsWhole,
            leavesForeignValue: leavesForeignValue
        ) { record in
            try record.replaceValue(path, ifMissing: ifMissing) { value in
                part.map { map.change($0, of: value) } ?? map.change(of: value)
            }
        }
    }

    /// Whether the step has left a value in a record that it does not name at all.
    @Sendable private func leavesForeignValue(in record: Record) -> Bool {
        guard part == nil, !path.hasEach, let value = record[path] else { return false }
        return map.isForeign(value)
    }

    func check(_ check: inout StepCheck) {
        check.useValue(place, path: path)
        if map.isEmpty { check.add("No value is named.") }
        if map.isTooDeep { check.add("A new value is nested too deep to be written.") }
        if part == .keys, map.hasOtherThanKeys { check.add("A key is neither a string nor an integer.") }
        if part == .keys, map.namesKeyTwice { check.add("A key is named twice: as a string and as an integer.") }
        check.replaceValue(place, path)
    }
}
