/// How the upgrades compare with the peers and with each other, with the goals.
extension MoltUpgradeCases {
    /// The comparisons, in the order of the goals.
    static let ratios: [BenchmarkRatio] =
        [
            properties(\.jsonFunctionsCase, "SQLite's JSON functions", .atLeast(2), .atLeast(0.6)),
            properties(\.decodeEncodeCase, "decode and encode", .atLeast(5), .atLeast(1.2)),
            properties(\.filePerKeyCase, "file per key", .atLeast(200), .atLeast(20)),
            properties(\.preparedUpdateCase, "a plain prepared UPDATE", .atLeast(0.8), .atLeast(0.25)),
        ]
        .flatMap { $0 }
        + [
            BenchmarkRatio(
                title: "\(fiveVersions.name) vs one version",
                subject: fiveVersions.name,
                baseline: rename.name,
                measure: .time,
                goal: .atMost(1.2),
                row: "five versions at once vs one",
                checkLimit: .atMost(2)
            ),
            BenchmarkRatio(
                title: "\(renameType.name) vs \(rename.name)",
                subject: renameType.name,
                baseline: rename.name,
                measure: .time,
                goal: .atMost(0.4),
                row: "renameType vs renameProperty",
                checkLimit: .atMost(2)
            ),
            BenchmarkRatio(
                title: "\(convert.name) vs decode and encode",
                subject: convert.name,
                baseline: PeerCases.Change.split.decodeEncodeCase,
                measure: .rate,
                goal: .atLeast(1.6),
                row: "typed convert vs decode and encode on one thread",
                checkLimit: .atLeast(0.4)
            ),
        ]
        + memory
        + (Platform.canLimitCores ? [told(convert, "", convertOnOneCore.name, "one core")] : [])
        + told

    /// The steps of a property-level change, each with the peers' change that is most like it.
    private static func properties(
        _ baseline: KeyPath<PeerCases.Change, String>,
        _ words: String,
        _ goal: BenchmarkGoal,
        _ checkLimit: BenchmarkGoal
    ) -> [BenchmarkRatio] {
        [(rename, PeerCases.Change.rename), (split, .split), (add, .rename), (remove, .rename)]
            .map { upgrade, change in
                BenchmarkRatio(
                    title: "\(upgrade.name) vs \(words)",
                    subject: upgrade.name,
                    baseline: change[keyPath: baseline],
                    measure: .rate,
                    goal: goal,
                    row: "property-level steps vs \(words)",
                    checkLimit: checkLimit
                )
            }
    }

    /// What the memory at the full count is beyond that at a small one.
    private static var memory: [BenchmarkRatio] {
        allKinds.map { upgrade in
            BenchmarkRatio(
                title: "\(upgrade.name) vs \(memoryCount) records, peak memory",
                subject: upgrade.name,
                baseline: upgrade.benchmark.at(memoryCount).name,
                measure: .extraMemory,
                goal: .atMost(20),
                row: "peak memory of each kind of step vs with \(memoryCount) records",
                checkLimit: .atMost(20)
            )
        }
    }

    /// What has no goal of its own: other counts, larger records, and steps that no peer has.
    private static var told: [BenchmarkRatio] {
        let sizes = BenchmarkCase.sizeSuffixes.dropFirst().flatMap { suffix in
            [
                (PeerCases.Change.rename.jsonFunctionsCase, "SQLite's JSON functions"),
                (PeerCases.Change.rename.decodeEncodeCase, "decode and encode"),
                (PeerCases.preparedUpdateCase, "a plain prepared UPDATE"),
            ]
            .map { told(rename, suffix, $0 + suffix, $1) }
        }
        let others = [(run, PeerCases.Change.split), (move, .rename)].flatMap { upgrade, change in
            [
                told(upgrade, "", change.jsonFunctionsCase, "SQLite's JSON functions"),
                told(upgrade, "", change.decodeEncodeCase, "decode and encode"),
                told(upgrade, "", PeerCases.preparedUpdateCase, "a plain prepared UPDATE"),
            ]
        }
        return sizes + others + [
            told(rename, "", PeerCases.tunedUpdateCase, "a prepared UPDATE with Molt's pages and cache")
        ]
    }

    private static func told(
        _ upgrade: MoltUpgrade,
        _ suffix: String,
        _ baseline: String,
        _ words: String
    ) -> BenchmarkRatio {
        BenchmarkRatio(
            title: "\(upgrade.name)\(suffix) vs \(words)",
            subject: upgrade.name + suffix,
            baseline: baseline,
            measure: .rate
        )
    }
}
