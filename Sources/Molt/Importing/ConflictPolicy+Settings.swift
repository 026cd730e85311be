extension ConflictPolicy<Suite> {
    /// The values of the suite that was written last win.
    ///
    /// Settings have no modification dates, so the app must have kept a date or an increasing number in both suites
    /// under the given key. A suite without one counts as older; if both are equal, the destination's values stay.
    public static func newest(by key: String) -> Self { Self(rule: .newestSuite(by: key)) }

    /// Its part of fingerprints, which must stay the same in all releases of Molt.
    var identity: [String] {
        switch rule {
        case .fail, .merge, .newest, .newestValue, .mergeImported: ["fail"]
        case .keep: ["destinationWins"]
        case .replace: ["sourceWins"]
        case .newestSuite(let key): ["newest", key]
        }
    }
}
