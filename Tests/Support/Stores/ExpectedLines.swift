package import Molt
package import Testing

extension StoredRecord {
    /// Type, key, content and, if there is one, the expiry.
    package var line: String {
        "\(type) \(key) \(isData ? "data \(content)" : text)" + (expiration.map { " until \($0)" } ?? "")
    }
}

extension Snapshot {
    /// Expects these lines of records, in the order of their ids.
    package func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        let found = records.map(\.line)
        #expect(found == lines, sourceLocation: sourceLocation)
    }

    /// Expects that these lines are among those of the records.
    package func expect(including line: String, _ others: String..., sourceLocation: SourceLocation = #_sourceLocation)
    {
        let found = records.map(\.line)
        let missing = ([line] + others).filter { !found.contains($0) }
        #expect(missing.isEmpty, "\(found)", sourceLocation: sourceLocation)
    }

    /// Expects the records with these keys, separated by spaces, in the order of their ids.
    package func expect(keys expected: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let found = keys.joined(separator: " ")
        #expect(found == expected, sourceLocation: sourceLocation)
    }
}

extension MigrationContext {
    /// The types with the numbers of their records.
    package var summary: String {
        get throws { try types.map { try "\($0) \(count(ofType: $0))" }.joined(separator: ", ") }
    }

    /// The line of the record with a key, in its current state; "none" if there is none.
    package func line(forKey key: String) throws -> String {
        guard let record = try self.record(forKey: key) else { return "none" }
        var stored = StoredRecord(record.typeName, record.key, "", expiration: record.expirationSeconds)
        record.writeContent(to: &stored.content)
        stored.isData = record.isData
        return stored.line
    }
}

extension Log where Element == String {
    package func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        let found = all
        #expect(found == lines, sourceLocation: sourceLocation)
    }
}
