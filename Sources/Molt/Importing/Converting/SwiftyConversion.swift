/// Converts a value that any release of SwiftyUserDefaults wrote to the form that typed keys and Defaults read.
///
/// It reads the forms of all releases: native arrays, JSON data, keyed archives of plain values, archives around JSON
/// data, and strings that denote a number or a Boolean. Values in the new form stay unchanged, and so do archives of
/// other objects.
package struct SwiftyConversion: Sendable {
    package init() {}

    /// Converts a stored value; one with an element that cannot be converted is not converted.
    ///
    /// - Parameters:
    ///   - stored: The value in the suite's own domain.
    ///   - form: The form of values under the key.
    package func convert(_ stored: PropertyListValue, as form: DefaultsForm) -> ConversionOutcome {
        do throws(ConversionFailure) {
            var walk = DefaultsV4Walk(target: .latest)
            let value = try converted(stored, as: form, &walk)
            return value == stored ? .alreadyCurrent : .converted(value)
        } catch {
            return .notConvertible(reason: error.reason, place: error.place)
        }
    }

    private func converted(
        _ stored: PropertyListValue,
        as form: DefaultsForm,
        _ walk: inout DefaultsV4Walk
    ) throws(ConversionFailure) -> PropertyListValue {
        switch form.kind {
        case .native(_, let isCurrent) where isCurrent(stored):
            return stored
        case .data, .keyedArchive:
            guard case .data(let data) = stored else {
                throw ConversionFailure(
                    reason: "\(stored.kindName), where data was expected",
                    place: ValuePlace()
                )
            }
            if case .keyedArchive = form.kind { try walk.check(archive: data) }
            return stored
        default:
            switch try SwiftyContent(stored, as: form) {
            case .native(let value): return try walk.convert(value, as: form)
            case .json(let part): return try walk.convert(part, as: form)
            }
        }
    }
}
