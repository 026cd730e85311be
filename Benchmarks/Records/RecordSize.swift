/// The size of a case's records.
package enum RecordSize: String, Codable, CaseIterable, Sendable {
    /// A person with seven properties.
    case small = "200B"
    /// A person with addresses, settings and some messages.
    case medium = "2KB"
    /// The same with several hundred messages.
    case large = "50KB"

    package var words: String {
        switch self {
        case .small: "200 bytes"
        case .medium: "2 KB"
        case .large: "50 KB"
        }
    }

    /// The range of a content's mean size, in bytes.
    package var meanBytes: ClosedRange<Int> {
        switch self {
        case .small: 190...210
        case .medium: 1900...2100
        case .large: 48_000...52_000
        }
    }
}
