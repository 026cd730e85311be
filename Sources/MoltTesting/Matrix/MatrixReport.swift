internal import MoltCore

/// What the matrix has run.
///
/// ```
/// 3 fixtures, 30 upgrades
/// fixture          records  to versions  entry points                            upgrades
/// ---------------  -------  -----------  --------------------------------------  --------
/// 0-everyday.json       12  1, 2         open, async open, in memory, migrator         20
/// ```
public struct MatrixReport: Hashable, Sendable, CustomStringConvertible {
    /// What was run of one fixture.
    public struct Row: Hashable, Sendable {
        /// The fixture's file, or its name.
        public var fixture: String
        /// How many records it has.
        public var records: Int
        /// The versions that it was upgraded to.
        public var targets: [Int]
        /// The ways in which it was opened, beside the dry run.
        public var entryPoints: [EntryPoint]
        /// How many times a copy of it was opened to be upgraded, dry runs and repetitions included.
        public var upgrades: Int

        /// Creates a row.
        public init(fixture: String, records: Int, targets: [Int], entryPoints: [EntryPoint], upgrades: Int) {
            self.fixture = fixture
            self.records = records
            self.targets = targets
            self.entryPoints = entryPoints
            self.upgrades = upgrades
        }
    }

    /// The fixtures, in the order of their versions.
    public var rows: [Row]
    /// The files that were written, by their paths in the catalog.
    public var recorded: [String]

    /// Creates a report.
    public init(rows: [Row] = [], recorded: [String] = []) {
        self.rows = rows
        self.recorded = recorded
    }

    /// How many times a copy of a fixture was opened to be upgraded, dry runs and repetitions included.
    public var upgrades: Int {
        rows.reduce(0) { $0 + $1.upgrades }
    }

    /// A table of the fixtures.
    public var description: String {
        let headline = "\(rows.count) fixture\(rows.count == 1 ? "" : "s"), \(upgrades) upgrades"
        guard !rows.isEmpty else { return headline }
        let heading = ["fixture", "records", "to versions", "entry points", "upgrades"]
        let cells = rows.map { row in
            [
                row.fixture,
                String(row.records),
                row.targets.map(String.init).joined(separator: ", "),
                row.entryPoints.map(\.description).joined(separator: ", "),
                String(row.upgrades),
            ]
        }
        return headline + "\n" + TextTable(rows: [heading] + cells, leftAlignedColumns: [0, 2, 3]).description
    }
}
