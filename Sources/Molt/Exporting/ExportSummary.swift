/// What an export has written.
public struct ExportSummary: Equatable, Sendable {
    /// The number of records.
    public var records: Int
    /// The size of the file in bytes.
    public var byteCount: Int
    /// The schema version of the records.
    public var version: Int
    /// The number of records in quarantine, which are not exported.
    public var quarantined: Int
    /// The number of settings.
    public var settings = 0
    /// The chosen types of which there was no record, each with the one that was probably meant, in a sentence.
    public var missingTypes: [String] = []
}

extension ExportSummary: CustomStringConvertible {
    /// The numbers in one line.
    public var description: String {
        "exported \(DisplayText.records(records)) \(settings > 0 ? "and \(settings) settings " : "")at version \(version), "
            + "\(byteCount) bytes"
            + (quarantined > 0 ? "; \(quarantined) in quarantine were left out" : "")
            + missingTypes.map { "; \($0)" }.joined()
    }
}
