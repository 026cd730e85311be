internal import Foundation
internal import MoltCore

/// The schema version and the ledger of a suite that is a store, as they stand under one key of it: as JSON text.
package struct DefaultsLedger: Codable {
    /// The form that this release writes, and the newest that it reads.
    private static let format = 1

    /// The form that it is written in.
    private var format = Self.format
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
        guard format <= Self.format else {
            throw DefaultsError(
                .newerFormat,
                "The ledger has the format \(format), and this release of Molt reads formats up to \(Self.format). "
                    + "Update the app. Nothing was changed."
            )
        }
        version = try container.decode(Int.self, forKey: .version)
        entries = try container.decode([LedgerEntry].self, forKey: .entries)
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
