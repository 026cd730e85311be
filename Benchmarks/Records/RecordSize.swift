/// How large the records of a case are.
package enum RecordSize: String, Codable, CaseIterable, Sendable {
    /// A person with seven properties.
    case small = "200B"
    /// A person with addresses, settings and some messages.
    case medium = "2KB"
    /// The same with some hundred messages.
    case large = "50KB"

    /// The size in words.
    package var words: String {
        switch self {
        case .small: "200 bytes"
        case .medium: "2 KB"
        case .large: "50 KB"
        }
    }

    /// The bytes that a content has on average.
    package var meanBytes: ClosedRange<Int> {
        switch self {
        case .small: 190...210
        case .medium: 1900...2100
        case .large: 48_000...52_000
        }
    }
}
