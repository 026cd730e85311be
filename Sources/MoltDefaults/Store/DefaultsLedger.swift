internal import Foundation
internal import MoltCore

/// The schema version and the ledger of a suite that is a store, as they stand under one key of it: as JSON text.
package struct DefaultsLedger: Codable {
    /// The form that this release writes.
    private static let format = 1

    /// The form that it is written in.
    private var format = Self.format
    /// The least form that a release must know to read it, where that is another one.
    private var readerFormat: Int?
    var version: Int
    var entries: [LedgerEntry]

    init(version: Int, entries: [LedgerEntry]) {
        self.version = version
        self.entries = entries
    }

    /// Reads one.
    ///
    /// - Throws: ``DefaultsError`` with the code `newerFormat`, before anything else is looked at.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        format = try container.decode(Int.self, forKey: .format)
        readerFormat = try container.decodeIfPresent(Int.self, forKey: .readerFormat)
        guard readerFormat ?? format <= Self.format else { throw Self.newer(format, "reads") }
        version = try container.decode(Int.self, forKey: .version)
        entries = try container.decode([LedgerEntry].self, forKey: .entries)
    }

    /// Refuses to write one that a later release has written, and that this one can only read.
    ///
    /// - Throws: ``DefaultsError`` with the code `newerFormat`.
    func checkWritable(in suite: Suite) throws {
        if format > Self.format { throw Self.newer(format, "writes").at(key: Suite.ledgerKey).of(suite: suite) }
    }

    private static func newer(_ format: Int, _ verb: String) -> DefaultsError {
        DefaultsError(
            .newerFormat,
            "The ledger has the format \(format), and this release of Molt \(verb) formats up to \(Self.format). "
                + "Update the app. Nothing was changed."
        )
    }

    /// Reads what a suite has under our key.
    init(_ stored: PropertyListValue, in suite: Suite) throws {
        do {
            guard case .string(let text) = stored else { throw CocoaError(.coderReadCorrupt) }
            self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
        } catch let error as DefaultsError {
            throw error.at(key: Suite.ledgerKey).of(suite: suite)
        } catch {
            var failure = DefaultsError(
                .unreadable,
                "The key \"\(Suite.ledgerKey)\" of \(suite) does not hold a ledger of Molt. Was it written by something "
                    + "else? Nothing was changed.",
                underlying: error
            )
            failure.suite = suite.domainName
            failure.key = Suite.ledgerKey
            throw failure
        }
    }

    /// What stands under our key.
    func stored() throws -> PropertyListValue {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return .string(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}

extension Suite {
    /// The one key that is ours, in a suite that is a store.
    static let ledgerKey = "molt.ledger"
}

/// What a commit has promised: the ledger, and the changes that are to be made to suites.
package struct DefaultsJournal: Codable {
    /// The changes to one attached store.
    struct Entry: Codable {
        var store: String
        /// What its session gave.
        var changes: Data
    }

    var ledger: DefaultsLedger
    var entries: [Entry]
}
