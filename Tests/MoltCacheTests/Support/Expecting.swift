import Foundation
import Testing

@testable import Molt

/// Expects that a closure throws an error of Molt with this code, these places and these words; nil is not compared.
///
/// - Returns: The error, for what only one test looks at.
@discardableResult
func expectMoltError<Result>(
    _ code: MoltError.Code? = nil,
    key: String? = nil,
    migration: String? = nil,
    store: String? = nil,
    storeVersion: Int? = nil,
    registryVersion: Int? = nil,
    says words: String...,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Result
) -> MoltError? {
    let error = #expect(throws: MoltError.self, sourceLocation: sourceLocation) { _ = try body() }
    error?.expect(
        code,
        key: key,
        migration: migration,
        store: store,
        storeVersion: storeVersion,
        registryVersion: registryVersion,
        sourceLocation: sourceLocation
    )
    for words in words { error?.expect(says: words, sourceLocation: sourceLocation) }
    return error
}

/// Expects that SQLite finds no damage in a file.
func expectIntegrity(of url: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try SQLite(url).text("PRAGMA integrity_check") == "ok", sourceLocation: sourceLocation)
}

/// Expects these names of files in a directory, in alphabetical order.
func expectNames(
    _ names: String...,
    in directory: ScratchDirectory,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try directory.names() == names, sourceLocation: sourceLocation)
}

extension CodableCache {
    /// Expects a value under a key; nil for none.
    func expect<Value: Decodable & Equatable & Sendable>(
        _ expected: Value?,
        forKey key: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try value(Value.self, forKey: key) == expected, sourceLocation: sourceLocation)
    }
}
