/// What an export has written.
public struct ExportSummary: Hashable, Sendable {
    /// The number of records.
    public var records: Int
    /// The size of the file in bytes.
    public var byteCount: Int
    /// The schema version of the records.
    public var version: Int
    /// The number of records in quarantine, which are not exported.
    public var quarantined: Int
}

extension ExportSummary: CustomStringConvertible {
    /// The numbers in one line.
    public var description: String {
        "exported \(DisplayText.records(records)) at version \(version), \(byteCount) bytes"
            + (quarantined > 0 ? "; \(quarantined) in quarantine were left out" : "")
    }
}
