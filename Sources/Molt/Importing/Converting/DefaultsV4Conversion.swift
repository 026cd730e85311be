/// Converts a value that Defaults 4 wrote to the form that Defaults 5 and later read.
///
/// Defaults 4 wrote everything except the simplest types as JSON strings. Since Defaults 5, containers and numbers are
/// native, and each Codable value inside them is a JSON string of its own. Codable values keep their original JSON
/// characters.
///
/// The conversion is idempotent. It also completes values that are native only in part, which an earlier release of
/// Defaults 5 may have left.
package struct DefaultsV4Conversion: Sendable {
    package var target: DefaultsRelease

    /// Creates a conversion.
    ///
    /// - Parameter target: The release that reads the result.
    package init(target: DefaultsRelease = .latest) {
        self.target = target
    }

    /// Converts a stored value; one with an element that cannot be converted is not converted.
    ///
    /// - Parameters:
    ///   - stored: The value in the suite's own domain.
    ///   - form: The form of values under the key.
    package func convert(_ stored: PropertyListValue, as form: DefaultsForm) -> ConversionOutcome {
        var walk = DefaultsV4Walk(target: target)
        do throws(ConversionFailure) {
            let value = try walk.convert(stored, as: form)
            return walk.isChanged ? .converted(value) : .alreadyCurrent
        } catch {
            return .notConvertible(reason: error.reason, place: error.place)
        }
    }
}

/// The release of Defaults that reads the settings after their conversion.
///
/// Only releases that changed the form of a type have a case; a release between two of them reads the earlier form.
/// Earlier releases compare as less.
public enum DefaultsRelease: Comparable, Sendable {
    /// 5.0: containers are native, and Codable values inside them are JSON strings.
    case v5
    /// 6.2: as 5, but a UUID is stored as its string, without quotes.
    case v6dot2
    /// 6.3 and later: as 6.2, but a range is stored as an array of its two bounds.
    case v6dot3

    /// The form that the latest Defaults and Molt's typed keys read.
    public static let latest = DefaultsRelease.v6dot3

    var identity: String {
        switch self {
        case .v5: "5"
        case .v6dot2: "6.2"
        case .v6dot3: "6.3"
        }
    }
}
