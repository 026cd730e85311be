/// How large the records of a case are.
package enum RecordSize: String, Codable, CaseIterable, Sendable {
    /// A person with seven properties.
    case small = "200B"
    /// A person with addresses, settings and some messages.
    case medium = "2KB"
    /// The same with some hundred messages.
    case large = "50KB"

    /// The size for people.
    var words: String {
        switch self {
        case .small: "200 bytes"
        case .medium: "2 KB"
        case .large: "50 KB"
        }
    }

    /// What stands behind the name of a case with such records.
    var suffix: String {
        switch self {
        case .small: ""
        case .medium: "-2kb"
        case .large: "-50kb"
        }
    }

    /// How many records a case on disk works on: about as many bytes as a million small ones have.
    var count: BenchmarkCase.Size {
        switch self {
        case .small: .all
        case .medium: .atMost(100_000, quick: 1000)
        case .large: .atMost(4000, quick: 40)
        }
    }

    /// How many bytes a content has on average, as the figures are said to be.
    var meanBytes: ClosedRange<Double> {
        switch self {
        case .small: 190...210
        case .medium: 1900...2100
        case .large: 48_000...52_000
        }
    }
}
