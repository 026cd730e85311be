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
