extension MigrationStep {
    /// Puts the value of a property into an array or object of its own, in each record of a type.
    ///
    /// ```swift
    /// .wrapProperty("Person", "phone", in: .array)               // "555" becomes ["555"]
    /// .wrapProperty("Person", "phone", in: .object("number"))    // "555" becomes {"number":"555"}
    /// ```
    ///
    /// In an array, null becomes an empty array; in an object, it stays null.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The path of the property.
    ///   - wrapper: The array or object to put the value into.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func wrapProperty(
        _ type: String,
        _ path: PropertyPath,
        in wrapper: Record.Wrapper,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(WrapPropertyStep(type: type, path: path, wrapper: wrapper, ifMissing: ifMissing))
    }

    /// Replaces the value of a property with the only element of its array, or the only property of its object, in each
    /// record of a type.
    ///
    /// ```swift
    /// .unwrapProperty("Person", "phones", from: .array)          // ["555"] becomes "555"
    /// ```
    ///
    /// An empty array or object becomes null, and null stays null. A record with a value that is not such an array or
    /// object, or has other contents, fails the upgrade with the code `typeMismatch`.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The path of the property.
    ///   - wrapper: The array or object that contains the value.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func unwrapProperty(
        _ type: String,
        _ path: PropertyPath,
        from wrapper: Record.Wrapper,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(UnwrapPropertyStep(type: type, path: path, wrapper: wrapper, ifMissing: ifMissing))
    }
}

struct WrapPropertyStep: RecordStep {
    var type: String
    var path: PropertyPath
    var wrapper: Record.Wrapper
    var ifMissing: Record.MissingProperty

    var description: String { "wrap \(type).\(path) in \(wrapper.description)" }
    var identity: [String] { ["wrapProperty", type] + path.identity + wrapper.identity + [ifMissing.rawValue] }

    var edit: RecordEdit {
        RecordEdit(typeName: type, property: path, mayKeepValue: true) { record in
            try record.wrap(path, in: wrapper, ifMissing: ifMissing)
        }
    }

    func check(_ check: inout StepCheck) {
        check.use(type: type, path: path, mayBeElement: true)
        check.replaceValue(type, path)
    }
}

struct UnwrapPropertyStep: RecordStep {
    var type: String
    var path: PropertyPath
    var wrapper: Record.Wrapper
    var ifMissing: Record.MissingProperty

    var description: String { "unwrap \(type).\(path) from \(wrapper.description)" }
    var identity: [String] { ["unwrapProperty", type] + path.identity + wrapper.identity + [ifMissing.rawValue] }

    var edit: RecordEdit {
        RecordEdit(typeName: type, property: path, mayKeepValue: true) { record in
            try record.unwrap(path, from: wrapper, ifMissing: ifMissing)
        }
    }

    func check(_ check: inout StepCheck) {
        check.use(type: type, path: path, mayBeElement: true)
        check.replaceValue(type, path)
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
