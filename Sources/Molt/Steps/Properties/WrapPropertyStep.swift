extension MigrationStep {
    /// Puts the value of a property into an array or object, in the records of a type, or in settings.
    ///
    /// ```swift
    /// .wrapProperty("Person", "phone", in: .array)               // "555" becomes ["555"]
    /// .wrapProperty("Person", "phone", in: .object("number"))    // "555" becomes {"number":"555"}
    /// ```
    ///
    /// In an array, null becomes an empty array; in an object, it stays null. Nothing is created where the property is
    /// missing, or around its place.
    ///
    /// A value that is an array already, or an object with that property alone, fails the upgrade with the code
    /// `typeMismatch`: it may have the new form. To put an array into another one, use ``transform(_:revision:_:)``.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - wrapper: The array or object to put the value into.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func wrapProperty(
        _ place: some Place,
        _ path: PropertyPath,
        in wrapper: Record.Wrapper,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(WrapPropertyStep(place: StepPlace(place), path: path, wrapper: wrapper, ifMissing: ifMissing))
    }

    /// Takes the value of a property out of an array or object, in the records of a type, or in settings.
    ///
    /// ```swift
    /// .unwrapProperty("Person", "phones", from: .array)          // ["555"] becomes "555"
    /// ```
    ///
    /// The only element of the array, or the only property of the object, becomes the value. An empty array or object
    /// becomes null, and null stays null. A record with a value that is not such an array or object, or has other
    /// contents, fails the upgrade with the code `typeMismatch`.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - wrapper: The array or object that contains the value.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func unwrapProperty(
        _ place: some Place,
        _ path: PropertyPath,
        from wrapper: Record.Wrapper,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(
            WrapPropertyStep(place: StepPlace(place), path: path, wrapper: wrapper, ifMissing: ifMissing, unwraps: true)
        )
    }
}

struct WrapPropertyStep: RecordStep {
    var place: StepPlace
    var path: PropertyPath
    var wrapper: Record.Wrapper
    var ifMissing: Record.MissingProperty
    /// Whether it undoes the wrapping.
    var unwraps = false

    var description: String {
        let change = unwraps ? "unwrap \(place.name(of: path)) from" : "wrap \(place.name(of: path)) in"
        return "\(change) \(wrapper.description)\(place.suffix)"
    }
    var identity: [String] {
        place.identity(of: unwraps ? "unwrapProperty" : "wrapProperty") + path.identity + wrapper.identity
            + [ifMissing.identity]
    }
    var losses: [MigrationReport.DataLoss] { [] }
    var valueUses: [ValueUse] { [] }

    var edit: RecordEdit {
        RecordEdit(property: path, skipsSomeValues: true) { record in
            if unwraps {
                try record.unwrap(path, from: wrapper, ifMissing: ifMissing)
            } else {
                try record.wrap(path, in: wrapper, ifMissing: ifMissing)
            }
        }
    }

    func check(_ check: inout StepCheck) {
        check.useValue(place, path: path)
        check.replaceValue(place, path)
    }
}

extension Record.Wrapper {
    fileprivate var description: String {
        switch self {
        case .array: "an array"
        case .object(let name): "an object with \(name)"
        }
    }
}
