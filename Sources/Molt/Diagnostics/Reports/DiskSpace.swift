/// The disk space of an upgrade, in bytes.
public struct DiskSpace: Equatable, Sendable, Codable {
    /// What it needs at its peak beside the files of the store: for SQLite's log, the growth of the file, and a backup.
    ///
    /// The log stays until the store is closed.
    public package(set) var peak: Int64
    /// The size of the store's file afterwards, without its log.
    public package(set) var after: Int64

    package init(peak: Int64, after: Int64) {
        self.peak = peak
        self.after = after
    }

    /// Whether it is worth a line: below a megabyte, no device lacks it.
    var isNotable: Bool { peak >= 1_000_000 }
}

extension DiskSpace: CustomStringConvertible {
    /// Both sizes, in one line.
    public var description: String {
        "\(DisplayText.bytes(Int(clamping: peak))) at its peak; the file has "
            + "\(DisplayText.bytes(Int(clamping: after))) afterwards"
    }
}
