/// The library whose forms settings of SwiftyUserDefaults are converted to.
public enum SwiftyTarget: Hashable, Sendable {
    /// SwiftyUserDefaults 3.x: arrays of native values are native.
    case swifty3
    /// SwiftyUserDefaults 4.0: as 3.x; what is Codable is data of JSON.
    case swifty4
    /// SwiftyUserDefaults 5.x: arrays of texts, numbers, truth values, dates and data are data of JSON, too.
    case swifty5
    /// A release of Defaults, which is also what Molt's typed keys read.
    case defaults(DefaultsRelease)
}

extension SwiftyTarget {
    /// What fingerprints are made of.
    var identity: String {
        switch self {
        case .swifty3: "swifty 3"
        case .swifty4: "swifty 4"
        case .swifty5: "swifty 5"
        case .defaults(let release): "defaults \(release.identity)"
        }
    }
}

extension SwiftyTarget: CustomStringConvertible {
    /// The library and its release, as plans show it: `SwiftyUserDefaults 5`.
    public var description: String {
        switch self {
        case .swifty3: "SwiftyUserDefaults 3"
        case .swifty4: "SwiftyUserDefaults 4"
        case .swifty5: "SwiftyUserDefaults 5"
        case .defaults(let release): "Defaults, release \(release)"
        }
    }
}
