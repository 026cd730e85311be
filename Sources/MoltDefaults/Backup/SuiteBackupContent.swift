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

    /// A file: the content as JSON, and its digest, by which damage is seen.
    private struct Envelope: Codable {
        var digest: String
        var content: Data
    }

    /// What stands in the file.
    func encoded() throws -> Data {
        let content = try JSONEncoder().encode(self)
        return try JSONEncoder().encode(Envelope(digest: Self.digest(of: content), content: content))
    }

    /// Reads what stands in a file.
    ///
    /// - Throws: ``DefaultsError`` with the code `newerFormat` or `unreadable`, or what the reader throws.
    init(file: Data) throws {
        let envelope = try? JSONDecoder().decode(Envelope.self, from: file)
        guard let envelope, envelope.digest == Self.digest(of: envelope.content) else {
            throw DefaultsError(.unreadable, "It is damaged: its content is not the one that was written.")
        }
        self = try JSONDecoder().decode(Self.self, from: envelope.content)
    }

    private static func digest(of content: Data) -> String {
        SHA256.hexadecimal(of: content)
    }
}
