import Foundation
import Testing

@testable import Molt

extension CodableCache {
    /// Expects exactly these keys of values, and these of records in quarantine, in this order.
    func expect(
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

    /// Expects that a key has this value; nil for none.
    func expect<Value: Decodable & Equatable & Sendable>(
        _ value: Value?,
        forKey key: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try self.value(Value.self, forKey: key)
        #expect(found == value, sourceLocation: sourceLocation)
    }

    /// Expects that no call finds a value under a key.
    func expectNothing(forKey key: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try value(Int.self, forKey: key) == nil, sourceLocation: sourceLocation)
        #expect(try entry(Int.self, forKey: key) == nil, sourceLocation: sourceLocation)
        #expect(try data(forKey: key) == nil, sourceLocation: sourceLocation)
        #expect(try typeName(forKey: key) == nil, sourceLocation: sourceLocation)
        #expect(try !contains(key), sourceLocation: sourceLocation)
        #expect(try !remove(forKey: key), sourceLocation: sourceLocation)
    }
}

extension MoltError {
    /// The error that a call must throw.
    @discardableResult
    static func thrown<Value>(
        sourceLocation: SourceLocation = #_sourceLocation,
        by call: () throws -> Value
    ) throws -> MoltError {
        try #require(throws: MoltError.self, sourceLocation: sourceLocation) { _ = try call() }
    }
}
