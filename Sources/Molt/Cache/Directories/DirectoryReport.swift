public import Foundation

/// What became of the stores of a directory; see
/// ``CacheFile/upgradeAll(in:migrations:subdirectories:configuration:atMost:progress:)``.
///
/// ```swift
/// print(report)
/// for store in report.failed { print(store.file, store.error?.problem ?? "") }
/// ```
public struct DirectoryReport: Sendable {
    /// A store, with its report or its error.
    public struct Store: Sendable {
        /// The file, or a directory that could not be read.
        public let file: CacheFile
        /// The report of its upgrade; nil if it failed.
        public let report: MigrationReport?
        /// The error, whose ``MoltError/outcome`` says what became of the store; nil if it has not failed.
        public let error: MoltError?
    }

    /// The directory.
    public let directory: URL
    /// Whether nothing was upgraded, because it was a dry run.
    public let isDryRun: Bool
    /// The stores, in the order of their paths.
    public let stores: [Store]

    /// The stores that were upgraded, or would be.
    public var upgraded: [Store] { stores.filter { $0.report?.isEmpty == false } }
    /// The stores that had nothing to upgrade.
    public var upToDate: [Store] { stores.filter { $0.report?.isEmpty == true } }
    /// The stores that failed, each of which is as it was unless its error says otherwise.
    public var failed: [Store] { stores.filter { $0.error != nil } }
}

extension DirectoryReport: CustomStringConvertible {
    /// The numbers, and a line with the path and the code of each failure; without keys and values.
    public var description: String {
        let root = FileStatus.path(of: directory)
        let total = stores.count == 1 ? "1 store" : "\(stores.count) stores"
        let counts = [
            (upgraded.count, isDryRun ? "would be upgraded" : "upgraded"), (upToDate.count, "up to date"),
            (failed.count, isDryRun ? "would fail" : "failed"),
        ]
        let head = ["\(root): \(total)"] + counts.filter { $0.0 > 0 }.map { "\($0) \($1)" }
        let lines = failed.map { store in
            var path = store.file.name
            if path.hasPrefix(root) { path = String(path.dropFirst(root.count).drop { $0 == "/" }) }
            let code = store.error.map { "\($0.code)" } ?? ""
            return "  \(ErrorSummary.oneLine(path)): \(code)" + (store.error?.migration.map { " in \($0)" } ?? "")
        }
        return ([head.joined(separator: ", ")] + lines).joined(separator: "\n")
    }
}
