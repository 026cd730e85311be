package import Molt
package import Testing

extension CodableCache {
    /// The record that was quarantined first.
    package func firstQuarantined(sourceLocation: SourceLocation = #_sourceLocation) throws -> QuarantinedRecord {
        try #require(try quarantined(limit: 1).first, sourceLocation: sourceLocation)
    }

    /// Retries records in quarantine, and expects an outcome for each, such as "b: converted".
    @discardableResult
    package func retry(
        _ ids: [Int64]? = nil,
        with registry: MigrationRegistry,
        expecting outcomes: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [RetriedRecord] {
        let retried = try retryQuarantined(ids, with: registry)
        #expect(retried.map { "\($0.key): \($0.outcome)" } == outcomes, sourceLocation: sourceLocation)
        return retried
    }
}
