internal import Foundation

/// The content of a backup of a suite that is a store: its ledger, and the changes that restore the suites.
struct SuiteBackupContent: Codable {
    /// The format that this release writes, and the newest that it reads.
    private static let format = 1

    private var format = Self.format
    var ledger: DefaultsLedger
    var count: Int
    /// The changes that restore the suite, and the other suites that the upgrade was about to change.
    var entries: [DefaultsJournal.Entry]

    init(ledger: DefaultsLedger, count: Int, entries: [DefaultsJournal.Entry]) {
        self.ledger = ledger
        self.count = count
        self.entries = entries
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        format = try container.decode(Int.self, forKey: .format)
        guard format <= Self.format else {
            throw MoltError(
                .newerFormat,
                "It has the format \(format), and this release of Molt reads formats up to \(Self.format)."
            )
        }
        ledger = try container.decode(DefaultsLedger.self, forKey: .ledger)
        count = try container.decode(Int.self, forKey: .count)
        entries = try container.decode([DefaultsJournal.Entry].self, forKey: .entries)
    }

    // MARK: File format

    /// The file's structure: the content as JSON, and its digest for detecting damage.
    private struct Envelope: Codable {
        var digest: String
        var content: Data
    }

    func encoded() throws -> Data {
        let content = try JSONEncoder().encode(self)
        return try JSONEncoder().encode(Envelope(digest: Self.digest(of: content), content: content))
    }

    /// Decodes a file.
    ///
    /// - Throws: ``MoltError`` with the code `newerFormat` or `unreadable`, or an error of the decoder.
    init(file: Data) throws {
        let envelope = try? JSONDecoder().decode(Envelope.self, fromStored: file)
        guard let envelope, envelope.digest == Self.digest(of: envelope.content) else {
            throw MoltError(.unreadable, "It is damaged: its content differs from what was written.")
        }
        self = try JSONDecoder().decode(Self.self, fromStored: envelope.content)
    }

    private static func digest(of content: Data) -> String {
        SHA256.hexadecimal(of: content)
    }
}
