internal import Foundation

/// The schema version and the ledger of a suite that is a store, kept as a JSON string under one key.
package struct DefaultsLedger: Codable {
    /// The format that this release writes.
    private static let format = 1

    private var format = Self.format
    /// The oldest format that a release must know to read the ledger, if lower than `format`.
    private var readerFormat: Int?
    var version: Int
    var entries: [LedgerEntry]

    init(version: Int, entries: [LedgerEntry]) {
        self.version = version
        self.entries = entries
    }

    /// Decodes a ledger.
    ///
    /// - Throws: ``MoltError`` with the code `newerFormat`, before any other member is decoded.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        format = try container.decode(Int.self, forKey: .format)
        readerFormat = try container.decodeIfPresent(Int.self, forKey: .readerFormat)
        guard (1...Self.format).contains(readerFormat ?? format) else { throw Self.newer(format, "reads") }
        version = try container.decode(Int.self, forKey: .version)
        entries = try container.decode([LedgerEntry].self, forKey: .entries)
    }

    /// Checks that this release can write the ledger's format; a newer format may be readable but not writable.
    ///
    /// - Throws: ``MoltError`` with the code `newerFormat`.
    func checkWritable(in suite: Suite) throws {
        if format > Self.format { throw Self.newer(format, "writes").at(key: Suite.ledgerKey).of(suite: suite) }
    }

    private static func newer(_ format: Int, _ verb: String) -> MoltError {
        MoltError(
            .newerFormat,
            "The ledger has the format \(format), and this release of Molt \(verb) formats up to \(Self.format). "
                + "Update the app. Nothing was changed."
        )
    }

    init(_ stored: PropertyListValue, in suite: Suite) throws {
        do {
            guard case .string(let text) = stored else { throw CocoaError(.coderReadCorrupt) }
            self = try JSONDecoder().decode(Self.self, fromStored: Data(text.utf8))
        } catch let error as MoltError {
            throw error.at(key: Suite.ledgerKey).of(suite: suite)
        } catch {
            var failure = MoltError(
                .unreadable,
                "The key \"\(Suite.ledgerKey)\" of \(suite) does not hold a ledger of Molt. Was it written by something "
                    + "else? Nothing was changed.",
                underlying: error
            )
            failure.store = suite.domainName
            failure.key = Suite.ledgerKey
            throw failure
        }
    }

    func stored() throws -> PropertyListValue {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return .string(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}

extension Suite {
    /// The key reserved for Molt in a suite that is a store.
    package static let ledgerKey = "molt.ledger"

    /// The keys reserved for Molt, which steps do not see.
    static let ownKeys: Set<String> = [ledgerKey]
}

extension MoltError {
    static func ownKey(_ key: String, in suite: Suite) -> MoltError {
        let message = "The key \"\(key)\" is kept for Molt itself. Choose another one."
        return MoltError(.cannotStore, message).at(key: key).of(suite: suite)
    }
}

/// A committed upgrade: the ledger, and the changes still to be made to suites.
package struct DefaultsJournal: Codable {
    struct Entry: Codable {
        var store: String
        /// The changes as the store's session encoded them.
        var changes: Data
    }

    var ledger: DefaultsLedger
    var entries: [Entry]
}
