internal import Foundation
internal import MoltCore

/// What the backup of a suite that is a store holds: its ledger, and what brings suites back to what they were.
struct SuiteBackupContent: Codable {
    /// The form that this release writes, and the newest that it reads.
    private static let format = 1

    /// The form that it is written in.
    private var format = Self.format
    /// The version and the ledger of the suite.
    var ledger: DefaultsLedger
    /// How many settings the suite had.
    var count: Int
    /// What is to be done to the suite, and to others that the upgrade was about to change.
    var entries: [DefaultsJournal.Entry]

    init(ledger: DefaultsLedger, count: Int, entries: [DefaultsJournal.Entry]) {
        self.ledger = ledger
        self.count = count
        self.entries = entries
    }

    /// Reads one.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        format = try container.decode(Int.self, forKey: .format)
        guard format <= Self.format else {
            throw DefaultsError(
                .newerFormat,
                "It has the format \(format), and this release of Molt reads formats up to \(Self.format)."
            )
        }
        ledger = try container.decode(DefaultsLedger.self, forKey: .ledger)
        count = try container.decode(Int.self, forKey: .count)
        entries = try container.decode([DefaultsJournal.Entry].self, forKey: .entries)
    }

    // MARK: In a file

    /// A file: the content as a binary property list, and its digest, by which damage is seen.
    private struct Envelope: Encodable {
        var digest: String
        var content: Data
    }

    /// What stands in the file.
    func encoded() throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let content = try encoder.encode(self)
        return try encoder.encode(Envelope(digest: Self.digest(of: content), content: content))
    }

    /// Reads what stands in a file.
    ///
    /// - Throws: ``DefaultsError`` with the code `newerFormat` or `unreadable`, or what the reader throws.
    init(file: Data) throws {
        // Not with Foundation's reader, which a damaged list may end the process in; the content is as it was written.
        let envelope = try PropertyListReader.value(file).dictionary
        guard let content = envelope?["content"]?.data, envelope?["digest"]?.string == Self.digest(of: content) else {
            throw DefaultsError(.unreadable, "It is damaged: its content is not the one that was written.")
        }
        self = try PropertyListDecoder().decode(Self.self, from: content)
    }

    private static func digest(of content: Data) -> String {
        SHA256.hexadecimal(of: content)
    }
}
