public import Foundation

extension CodableCache {
    /// Stores a document that an earlier release wrote, such as one from another device or an old export.
    ///
    /// ```swift
    /// try cache.set(document: message.body, ofType: "Person", writtenAt: message.schemaVersion, forKey: message.id)
    /// ```
    ///
    /// It goes through the cache's migrations to versions later than its own before it is stored; see
    /// ``DocumentUpgrade``. If a step drops it or deletes its type, nothing is stored, and a value under the key stays.
    ///
    /// - Parameters:
    ///   - document: JSON text.
    ///   - typeName: The name that the document's type had at that version.
    ///   - version: The schema version of the store or app that wrote it.
    ///   - key: The key, which a step may change.
    ///   - expiry: When the value expires; by default as configured. A step may change it.
    /// - Returns: What was stored, or that it was dropped.
    /// - Throws: ``MoltError`` with the code `superseded` if a newer app wrote the document, with `tooOld` if the
    ///   registry cannot upgrade it, with `malformedContent` if it is not JSON, or with that of the step that failed; and
    ///   the errors of ``set(_:forKey:expiry:)``. Nothing is stored then.
    @discardableResult
    public func set(
        document: Data,
        ofType typeName: String,
        writtenAt version: Int,
        forKey key: String,
        expiry: Expiry? = nil
    ) throws -> UpgradedDocument {
        let expiration = (expiry ?? configuration.defaultExpiry)
            .expiration(from: configuration.now().timeIntervalSince1970)
        let upgraded = try documents().upgrade(
            document,
            ofType: typeName,
            writtenAt: version,
            forKey: key,
            expiration: expiration.map { Date(timeIntervalSince1970: $0) }
        )
        guard !upgraded.isDropped else { return upgraded }
        let content = EncodedContent(
            data: upgraded.content,
            isData: upgraded.isData,
            typeName: upgraded.typeName,
            expiration: upgraded.expiration?.timeIntervalSince1970
        )
        try change { session throws(SQLiteError) in try session.set(upgraded.key, content) }
        return upgraded
    }

    /// The upgrade of single documents, made at the first use.
    private func documents() throws -> DocumentUpgrade {
        if let made = documentUpgrade.withLock({ $0 }) { return made }
        let made = try DocumentUpgrade(usablePartOf: migrations)
        documentUpgrade.withLock { $0 = made }
        return made
    }
}
