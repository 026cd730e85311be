import Foundation
import Molt
import Testing

@Suite struct `A ledger row as JSON` {
    @Test func `tells that older releases can write, and can be read if it does not`() throws {
        var entry = LedgerEntry(name: "a", version: 1, appliedAt: Date(timeIntervalSince1970: 0))
        entry.olderReleases = .write
        let writable = try JSONEncoder().encode(entry)
        #expect(String(decoding: writable, as: UTF8.self).contains(#""isWritableByOlderReleases":true"#))
        #expect(try JSONDecoder().decode(LedgerEntry.self, from: writable) == entry)

        entry.olderReleases = .read
        let readable = try JSONEncoder().encode(entry)
        #expect(!String(decoding: readable, as: UTF8.self).contains("isWritableByOlderReleases"))
        let decoded = try JSONDecoder().decode(LedgerEntry.self, from: readable)
        #expect(decoded == entry && decoded.olderReleases == .read)
    }

    @Test func `is one line of text, whatever its name`() {
        let row = LedgerEntry(name: "a\nb\u{202E}c\u{1B}[2J", version: 1, appliedAt: Date(timeIntervalSince1970: 0))
        #expect(!row.description.unicodeScalars.contains { ["\n", "\u{202E}", "\u{1B}"].contains($0) }, "\(row)")
    }
}
