/// What an export has written.
public struct ExportSummary: Equatable, Sendable {
    /// The number of records.
    public package(set) var records: Int
    /// The size of the file in bytes.
    public package(set) var byteCount: Int
    /// The schema version of the records.
    public package(set) var version: Int
    /// The number of records in quarantine, which are not exported.
    public package(set) var quarantined: Int
    /// The number of settings.
    public package(set) var settings = 0
    /// The chosen types of which there was no record, each with the one that was probably meant, in a sentence.
    public package(set) var missingTypes: [String] = []
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
