internal import MoltCore

/// Converts what Defaults 4 wrote under a key to what Defaults 5 and later read.
///
/// Defaults 4 wrote everything but the plainest types as JSON text. Since 5, containers and numbers are native, and
/// what is Codable stands as a JSON text of its own at its place in them. The values that are Codable keep the
/// characters they were written with.
///
/// Converting twice is the same as converting once, and also what is native in parts, as an earlier release of
/// Defaults 5 may have left it, is brought to its form.
package struct DefaultsV4Conversion: Sendable {
    /// The release that is to read the result.
    package var target: DefaultsRelease
    /// Whether what can be converted is kept when a part of it cannot.
    package var salvage: Bool

    /// Creates a conversion.
    ///
    /// - Parameters:
    ///   - target: The release that is to read the result.
    ///   - salvage: Whether bad elements of arrays, sets and dictionaries are set aside. Without it, a value with one
    ///     bad element is not converted.
    package init(target: DefaultsRelease = .latest, salvage: Bool = false) {
        self.target = target
        self.salvage = salvage
    }

    /// Converts a stored value.
    ///
    /// - Parameters:
    ///   - stored: What the suite's own domain has under the key.
    ///   - form: How the values under the key are built.
    package func convert(_ stored: PropertyListValue, as form: DefaultsForm) -> ConversionOutcome {
        var walk = DefaultsV4Walk(target: target, salvage: salvage)
        do throws(ConversionFailure) {
            let value = try walk.convert(stored, as: form)
            return walk.isChanged ? .converted(value, setAside: walk.setAside) : .alreadyCurrent
        } catch {
            return .notConvertible(reason: error.reason, place: error.place)
        }
    }
}

/// The release of Defaults that is to read the settings after their conversion.
///
/// Only the releases are named that changed how a type stands; those between two of them read what the earlier one does.
/// The earlier one is the lesser.
public enum DefaultsRelease: Comparable, Sendable {
    /// 5.0: containers are native, Codable values inside them are JSON texts.
    case v5
    /// 6.2: as 5, but a UUID stands as its text, without quotes.
    case v6dot2
    /// 6.3 and everything later: as 6.2, but a range stands as an array of its two bounds.
    case v6dot3

    /// What today's Defaults reads, and Molt's typed keys.
    public static let latest = DefaultsRelease.v6dot3

    /// What fingerprints are made of.
    var identity: String {
        switch self {
        case .v5: "5"
        case .v6dot2: "6.2"
        case .v6dot3: "6.3"
        }
    }
}
