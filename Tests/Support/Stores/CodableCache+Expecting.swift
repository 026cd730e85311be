package import Foundation
package import Molt
package import Testing

/// Expects that SQLite finds no damage in a file.
package func expectIntegrity(of url: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try SQLite(url).text("PRAGMA integrity_check") == "ok", sourceLocation: sourceLocation)
}

/// Expects these names of files in a directory, in alphabetical order.
package func expectNames(
    _ names: String...,
    in directory: ScratchDirectory,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try directory.names() == names, sourceLocation: sourceLocation)
}

extension CodableCache {
    /// Expects that a key has this value; nil for none.
    package func expect<Value: Decodable & Equatable & Sendable>(
        _ expected: Value?,
        forKey key: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try value(Value.self, forKey: key)
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    /// Expects exactly these keys of values, and these of records in quarantine, in this order.
    package func expect(
        keys: [String],
        quarantined: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try self.keys()
        #expect(found == keys, sourceLocation: sourceLocation)
        let records = try self.quarantined().map(\.key)
        #expect(records == quarantined, "In quarantine.", sourceLocation: sourceLocation)
        #expect(try quarantinedCount == records.count, sourceLocation: sourceLocation)
    }

    /// Expects that no call finds a value under a key.
    package func expectNothing(forKey key: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try value(Int.self, forKey: key) == nil, sourceLocation: sourceLocation)
        #expect(try entry(Int.self, forKey: key) == nil, sourceLocation: sourceLocation)
        #expect(try data(forKey: key) == nil, sourceLocation: sourceLocation)
        #expect(try typeName(forKey: key) == nil, sourceLocation: sourceLocation)
        #expect(try !contains(key), sourceLocation: sourceLocation)
        #expect(try !remove(forKey: key), sourceLocation: sourceLocation)
    }
}
