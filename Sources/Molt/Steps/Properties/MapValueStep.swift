extension MigrationStep {
    /// Replaces values of a property with others in the records of a type, or in settings.
    ///
    /// ```swift
    /// .mapValue("Order", "status", ["open": "active", "done": "archived"], otherwise: .fail)
    /// ```
    ///
    /// Use it for example when cases of an enum are renamed. Null is left as it is, unless `values` names it.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - values: The new values, keyed by the old ones.
    ///   - other: What happens to all other values; by default they are kept.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func mapValue(
        _ place: Place,
        _ path: PropertyPath,
        _ values: [RecordValue: RecordValue],
        otherwise other: Record.OtherValue = .keep,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        let map = ValueMap(values, otherwise: other, at: path)
        return MigrationStep(MapValueStep(place: place, path: path, map: map, ifMissing: ifMissing))
    }
}

struct MapValueStep: RecordStep {
    var place: MigrationStep.Place
    var path: PropertyPath
    var map: ValueMap
    var ifMissing: Record.MissingProperty

    var description: String { "map the values of \(place.name(of: path))\(place.suffix)" }
    var identity: [String] { place.identity(of: "mapValue") + path.identity + map.identity + [ifMissing.rawValue] }
    var valueUses: [ValueUse] { [.literals(map.values, at: PropertyPlace(place, path))] }
    /// Whether a record or a setting with another value is removed.
    private var dropsWhole: Bool { path.count == 0 && map.removesOthers }
    var losses: [MigrationReport.DataLoss] {
        map.isLossy ? [MigrationReport.DataLoss(.values, place.name(of: path))] : []
    }

    var edit: RecordEdit {
        RecordEdit(property: path, mayKeepValue: true, mayDrop: dropsWhole) { record in
            try record.replaceValue(path, ifMissing: ifMissing) { map.change(of: $0) }
        }
    }

    func check(_ check: inout StepCheck) {
        check.use(place, path: path, mayBeWhole: true)
        if map.isEmpty { check.add("No value is named.") }
        if map.isTooDeep { check.add("A new value is nested too deep to be written.") }
        check.replaceValue(place, path)
    }
}
