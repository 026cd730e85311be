public import Foundation

/// A copy of a store as it was at one moment, beside the store.
///
/// It is one file. The backup of a cache is a cache file: it can be looked at with any SQLite tool. It has the settings,
/// too, that the upgrade was about to change.
public struct StoreBackup: Hashable, Sendable, Codable {
    /// The file.
    public var url: URL
    /// The schema version that the store had.
    public var schemaVersion: Int
    /// When it was made.
    public var date: Date
    /// How large the file is, in bytes.
    public var size: Int
    /// How many records the store had, or settings; nil when the file does not say.
    public var recordCount: Int?
    /// Whether an upgrade made it, and later ones may remove it; not so when the app asked for it.
    public var isAutomatic: Bool

    /// Describes a backup.
    package init(
        url: URL,
        schemaVersion: Int,
        date: Date,
        size: Int,
        recordCount: Int? = nil,
        isAutomatic: Bool = true
    ) {
        self.url = url
        self.schemaVersion = schemaVersion
        self.date = date
        self.size = size
        self.recordCount = recordCount
        self.isAutomatic = isAutomatic
    }
}

extension StoreBackup: CustomStringConvertible {
    /// The name, the version, the number of records and the size, in one line.
    public var description: String {
        let records = recordCount.map { ", \($0) records" } ?? ""
        return "\(url.lastPathComponent): version \(schemaVersion)\(records), \(size) bytes"
    }
}

extension StoreBackup: Comparable {
    /// Whether one was made before another; of two of one moment, the names decide.
    public static func < (lhs: StoreBackup, rhs: StoreBackup) -> Bool {
        (lhs.date, lhs.url.lastPathComponent) < (rhs.date, rhs.url.lastPathComponent)
    }
}
