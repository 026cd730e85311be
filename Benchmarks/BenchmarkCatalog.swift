/// All that can be measured, in the order of the table.
enum BenchmarkCatalog {
    /// The cases: first the other ways to do the work, then Molt.
    static let cases: [BenchmarkCase] =
        FilePerKeyCases.all + PeerCases.all + PeerCacheCases.all
        + MoltUpgradeCases.all + MoltCacheCases.all + SettingsCases.all

    /// The comparisons that are printed below the table, where both of their cases were run.
    static let ratios: [BenchmarkRatio] =
        MoltUpgradeCases.ratios + MoltCacheCases.ratios + PeerCases.ratios + SettingsCases.ratios
}
