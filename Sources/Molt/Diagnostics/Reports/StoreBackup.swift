public import Foundation

/// A copy of a store at one moment, in a file beside the store.
///
/// The backup of a cache is itself a cache file, which any SQLite tool can read. It includes the settings of the
/// suites that the configuration names, and those that the upgrade was about to change.
public struct StoreBackup: Equatable, Sendable, Encodable {
    /// The file.
    public package(set) var url: URL
    /// The schema version of the store; 0 if unknown, as for a damaged file that was kept.
    public package(set) var version: Int
    /// When it was made.
    public package(set) var date: Date
    /// The size of the file, in bytes.
    public package(set) var size: Int
    /// The number of the store's records, 0 for a suite; nil if the file does not say.
    public package(set) var recordCount: Int?
    /// Whether an upgrade made it, so that later ones may remove it; false if the app requested it.
    public package(set) var isAutomatic: Bool
    /// The names of the suites that are restored with it, as in errors.
    ///
    /// Name them in the configuration when the store is next opened: changes to a missing one stay in the store, and
    /// opening it fails with the code `suiteNotNamed`.
    public package(set) var suites: [String] = []
}

extension StoreBackup: CustomStringConvertible {
    /// The name, the version, the number of records and the size, in one line.
    public var description: String {
        "\(url.lastPathComponent): \(contents)"
    }

    /// The version, the number of records and the size, in one line.
    package var contents: String {
        let records = recordCount.map { ", \(DisplayText.records($0))" } ?? ""
        return "version \(version)\(records), \(size) bytes"
    }
}

extension StoreBackup {
    /// Orders backups by date, and by name if the dates are equal.
    package static func < (lhs: StoreBackup, rhs: StoreBackup) -> Bool {
        (lhs.date, lhs.url.lastPathComponent) < (rhs.date, rhs.url.lastPathComponent)
    }
}
