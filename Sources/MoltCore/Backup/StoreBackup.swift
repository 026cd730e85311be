public import Foundation

/// A copy of a store as it was at one moment, beside the store.
///
/// It is one file. The backup of a cache is a cache file: it can be looked at with any SQLite tool. It has the settings,
/// too, that the upgrade was about to change.
public struct StoreBackup: Hashable, Sendable, Codable {
    /// The file.
    public var url: URL
    /// The schema version that the store had; 0 where that is not known, as of a damaged file that was kept.
    public var schemaVersion: Int
    /// When it was made.
    public var date: Date
    /// How large the file is, in bytes.
    public var size: Int
    /// How many records the store had, or settings; nil when the file does not say.
    public var recordCount: Int?
    /// Whether an upgrade made it, and later ones may remove it; not so when the app asked for it.
    public var isAutomatic: Bool
    /// The attached stores that become what they were, too, when it is put back; by name, as errors have them.
    ///
    /// They must be attached where the store is opened after that: changes to one that is not stay in the store, and its
    /// openings fail with the code `notAttached`.
    public var attachedStores: [String]

    /// Describes a backup.
    package init(
        url: URL,
        schemaVersion: Int,
        date: Date,
        size: Int,
        recordCount: Int? = nil,
        isAutomatic: Bool = true,
        attachedStores: [String] = []
    ) {
        self.url = url
        self.schemaVersion = schemaVersion
        self.date = date
        self.size = size
        self.recordCount = recordCount
        self.isAutomatic = isAutomatic
        self.attachedStores = attachedStores
    }

    /// Reads a backup; one that an earlier release has written names no attached stores.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decode(URL.self, forKey: .url)
        schemaVersion = try container.decode(Int.self, forKey: .schemaVersion)
        date = try container.decode(Date.self, forKey: .date)
        size = try container.decode(Int.self, forKey: .size)
        recordCount = try container.decodeIfPresent(Int.self, forKey: .recordCount)
        isAutomatic = try container.decode(Bool.self, forKey: .isAutomatic)
        attachedStores = try container.decodeIfPresent([String].self, forKey: .attachedStores) ?? []
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
