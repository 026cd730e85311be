/// A limit for a figure.
package enum BenchmarkGoal: Hashable, Sendable {
    /// The figure should be at least this.
    case atLeast(Double)
    /// The figure should be at most this.
    case atMost(Double)

    /// Whether a figure is within the limit.
    package func isReached(by value: Double) -> Bool {
        switch self {
        case .atLeast(let limit): value >= limit
        case .atMost(let limit): value <= limit
        }
    }

    /// How far a figure is on the right side: less is worse, and the limit itself is 1.
    func margin(of value: Double) -> Double {
        switch self {
        case .atLeast(let limit): limit > 0 ? value / limit : value
        case .atMost(let limit): value > 0 ? limit / value : .infinity
        }
    }
}

extension BenchmarkGoal: Codable {
    private enum CodingKeys: String, CodingKey {
        case atLeast
        case atMost
    }

    /// Reads `{"atLeast": 2}` or `{"atMost": 2}`.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let limit = try container.decodeIfPresent(Double.self, forKey: .atLeast) {
            self = .atLeast(limit)
        } else {
            self = .atMost(try container.decode(Double.self, forKey: .atMost))
        }
    }

    /// Writes `{"atLeast": 2}` or `{"atMost": 2}`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .atLeast(let limit): try container.encode(limit, forKey: .atLeast)
        case .atMost(let limit): try container.encode(limit, forKey: .atMost)
        }
    }
}
