extension MigrationStep {
    /// Replaces JSON text in a string with the object or array that it is the text of, in the records of a type, or in
    /// settings.
    ///
    /// ```swift
    /// .parseJSONText("Note", "payload")           // "{\"n\":1.10}" becomes {"n":1.10}
    /// ```
    ///
    /// The text is taken over byte by byte: the order of names, white space, and numbers such as 1.10 and
    /// 12345678901234567890 stay as they are; only white space around it is left out. Null stays null, and nothing is
    /// created where the property is missing. Later steps find the properties of the object: `["payload", "n"]`.
    ///
    /// Any other value fails, so that no text is taken for something that it is not: text that is not JSON, such as an
    /// empty one; that of a lone string, number, Boolean or null, which
    /// ``changeValue(_:_:to:otherwise:ifMissing:)`` changes; an object or array, which an earlier build may have
    /// written; and text that would be nested deeper than 512.
    ///
    /// A setting that is an array or dictionary of JSON texts alone needs ``changeForm(_:to:dates:)``: to steps, its
    /// texts are values already.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - other: What happens to values that cannot be changed; by default the upgrade fails with the code
    ///     `typeMismatch`.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func parseJSONText(
        _ place: some Place,
        _ path: PropertyPath,
        otherwise other: Record.OtherValue = .fail,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(ChangeValueStep(StepPlace(place), path, .jsonText(.parse), other, ifMissing))
    }

    /// Replaces an object or array with a string that has its JSON text, in the records of a type, or in settings.
    ///
    /// ```swift
    /// .encodeAsJSONText("Note", "payload")        // {"n":1.10} becomes "{\"n\":1.10}"
    /// ```
    ///
    /// The text has the bytes of the value, so ``parseJSONText(_:_:otherwise:ifMissing:)`` gives the same value again.
    /// Null stays null, and nothing is created where the property is missing. Any other value fails: a string may
    /// already have the text. So does the content of a setting with a date, data or an infinity in it, which JSON does
    /// not have.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - other: What happens to values that cannot be changed; by default the upgrade fails with the code
    ///     `typeMismatch`.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func encodeAsJSONText(
        _ place: some Place,
        _ path: PropertyPath,
        otherwise other: Record.OtherValue = .fail,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(ChangeValueStep(StepPlace(place), path, .jsonText(.encode), other, ifMissing))
    }
}
