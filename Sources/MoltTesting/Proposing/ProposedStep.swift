internal import Molt

/// A step as Swift source and as a value, which are made from the same parts.
struct ProposedStep {
    enum Change {
        case renameType(String, to: String)
        case renameSetting(SampledSetting, to: SampledSetting)
        case changeForm(ProposedPlace, to: SettingForm)
        case add(ProposedPlace, default: Literal?)
        case rename(ProposedPlace, to: String)
        case move(ProposedPlace, to: ProposedPlace)
        case split(ProposedPlace, into: [ProposedPlace])
        case join([ProposedPlace], into: ProposedPlace)
        case changeValue(ProposedPlace, to: Record.ScalarKind)
        case wrap(ProposedPlace)
        case unwrap(ProposedPlace)
        case splitIntoArray(ProposedPlace, separator: String)
        case joinArray(ProposedPlace, separator: String)
        case parseJSONText(ProposedPlace)
        case changeDictionary(ProposedPlace, to: Record.DictionaryForm)
        /// Pairs of a case and its new one; an ellipsis stands for one that only the app knows.
        case mapCases(ProposedPlace, inKeys: Bool, [(Literal, Literal?)])
    }

    let change: Change
    /// Its words in the migration's name.
    let word: String
    /// What to know about it; nil for nothing.
    var remark: String?
}

/// A value with its source.
struct Literal {
    let code: String
    let value: RecordValue
}

extension ProposedStep {
    /// The step's source, with an ellipsis for what only the app can know.
    var code: String {
        switch change {
        case .renameType(let name, let newName):
            ".renameType(\(name.debugDescription), to: \(newName.debugDescription))"
        case .renameSetting(let setting, let new):
            ".renameSetting(\(setting.key.debugDescription), to: \(new.arguments))"
        case .changeForm(let place, let form): ".changeForm(\(place.contentCode), to: .\(form.code))"
        case .add(let place, let value): ".addProperty(\(place.arguments), default: \(value?.code ?? "…"))"
        case .rename(let place, let name): ".renameProperty(\(place.arguments), to: \(name.debugDescription))"
        case .move(let place, let new): ".moveProperty(\(place.arguments), to: \(new.code))"
        case .split(let place, let parts): ".splitProperty(\(place.arguments), into: \(ProposedPlace.list(parts)))"
        case .join(let parts, let place): ".joinProperties(\(place.arguments(parts)), into: \(place.code))"
        case .changeValue(let place, let kind): ".changeValue(\(place.arguments), to: .\(kind.code))"
        case .wrap(let place): ".wrapProperty(\(place.arguments), in: .array)"
        case .unwrap(let place): ".unwrapProperty(\(place.arguments), from: .array)"
        case .splitIntoArray(let place, let separator):
            ".splitIntoArray(\(place.arguments), separator: \(separator.debugDescription))"
        case .joinArray(let place, let separator):
            ".joinArray(\(place.arguments), separator: \(separator.debugDescription))"
        case .parseJSONText(let place): ".parseJSONText(\(place.arguments))"
        case .changeDictionary(let place, let form): ".changeDictionary(\(place.arguments), to: .\(form.code))"
        case .mapCases(let place, let inKeys, let pairs):
            ".mapValue(\(place.arguments)\(inKeys ? ", in: .keys" : ""), ["
                + pairs.map { "\($0.code): \($1?.code ?? "…")" }.joined(separator: ", ") + "])"
        }
    }

    /// The step itself; nil if it has an ellipsis.
    var value: MigrationStep? { made { $0.argument } }

    /// The step on records of a type that has the name of the shape, for a trial without a suite.
    var valueOnRecords: MigrationStep? { made { $0.shapeName } }

    private func made(at argument: (ProposedPlace) -> any MigrationStep.Place) -> MigrationStep? {
        switch change {
        case .renameType(let name, let newName): .renameType(name, to: newName)
        case .renameSetting(let setting, let new): .renameSetting(setting.key, to: new.key, in: setting.suiteValue)
        case .changeForm(let place, let form):
            (argument(place) as? MigrationStep.Settings).map { .changeForm($0, to: form) }
        case .add(let place, let value):
            value.map { .addProperty(argument(place), place.propertyPath, default: $0.value) }
        case .rename(let place, let name): .renameProperty(argument(place), place.propertyPath, to: name)
        case .move(let place, let new): .moveProperty(argument(place), place.propertyPath, to: new.propertyPath)
        case .split(let place, let parts):
            .splitProperty(argument(place), place.propertyPath, into: parts.map(\.propertyPath))
        case .join(let parts, let place):
            .joinProperties(argument(place), parts.map(\.propertyPath), into: place.propertyPath)
        case .changeValue(let place, let kind): .changeValue(argument(place), place.propertyPath, to: kind)
        case .wrap(let place): .wrapProperty(argument(place), place.propertyPath, in: .array)
        case .unwrap(let place): .unwrapProperty(argument(place), place.propertyPath, from: .array)
        case .splitIntoArray(let place, let separator):
            .splitIntoArray(argument(place), place.propertyPath, separator: separator)
        case .joinArray(let place, let separator):
            .joinArray(argument(place), place.propertyPath, separator: separator)
        case .parseJSONText(let place): .parseJSONText(argument(place), place.propertyPath)
        case .changeDictionary(let place, let form): .changeDictionary(argument(place), place.propertyPath, to: form)
        case .mapCases(let place, let inKeys, let pairs): mapStep(argument(place), place.propertyPath, inKeys, pairs)
        }
    }

    private func mapStep(
        _ place: any MigrationStep.Place,
        _ path: PropertyPath,
        _ inKeys: Bool,
        _ pairs: [(Literal, Literal?)]
    ) -> MigrationStep? {
        guard pairs.allSatisfy({ $1 != nil }) else { return nil }
        var values: [RecordValue: RecordValue] = [:]
        for (old, new) in pairs { values[old.value] = new?.value }
        return inKeys ? .mapValue(place, path, in: .keys, values) : .mapValue(place, path, values)
    }

    /// The places that it writes, or whose meaning it changes; none for a whole type or setting.
    var destinations: [ProposedPlace] {
        switch change {
        case .renameType, .renameSetting, .changeForm: []
        case .rename(let place, let name):
            [ProposedPlace(content: place.content, path: place.path.dropLast() + [.name(name)])]
        case .split(_, let parts): parts
        case .move(_, let place), .join(_, let place), .add(let place, _), .changeValue(let place, _), .wrap(let place),
            .unwrap(let place), .splitIntoArray(let place, _), .joinArray(let place, _),
            .parseJSONText(let place), .changeDictionary(let place, _), .mapCases(let place, _, _):
            [place]
        }
    }

    /// The setting whose value it changes; nil for the records of a type, and for a setting that is only renamed.
    var setting: SampledSetting? {
        if case .changeForm(let place, _) = change { return place.setting }
        return destinations.first?.setting
    }

    /// Whether the record need not have the letters of the old value: they are in the step's source, or are those of
    /// JSON text.
    var replacesValues: Bool {
        switch change {
        case .mapCases, .parseJSONText: true
        default: false
        }
    }
}

extension SettingForm {
    /// The name of the case.
    var code: String {
        switch self {
        case .native: "native"
        case .jsonText: "jsonText"
        case .jsonData: "jsonData"
        case .binaryPropertyList: "binaryPropertyList"
        case .xmlPropertyList: "xmlPropertyList"
        case .jsonTexts: "jsonTexts"
        }
    }
}

extension Record.ScalarKind {
    /// The name of the case.
    fileprivate var code: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .number: "number"
        case .bool: "bool"
        }
    }
}

extension Record.DictionaryForm {
    /// The name of the case.
    fileprivate var code: String {
        switch self {
        case .object: "object"
        case .alternatingArray: "alternatingArray"
        case .alternatingArrayOfIntegers: "alternatingArrayOfIntegers"
        case .arrayOfValues: "arrayOfValues"
        }
    }
}
