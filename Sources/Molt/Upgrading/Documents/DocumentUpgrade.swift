public import Foundation

/// Upgrades single documents that are kept elsewhere: in a database of your own, in files, in a message from another
/// device.
///
/// ```swift
/// let documents = try DocumentUpgrade(migrations)
///
/// let row = try documents.upgrade(json, ofType: "Person", writtenAt: 3)
/// // row.content has the form of row.version; store both.
/// ```
///
/// A document goes through the migrations to versions later than its own, in memory, and has byte for byte the content
/// that a cache's record would have. A value can be used by any number of threads at once: keep one, since creating it
/// takes longer than upgrading a document.
public struct DocumentUpgrade: Sendable {
    /// The version that documents have afterwards: that of the registry.
    public let version: Int
    /// The version from which on documents can be upgraded.
    public let oldestVersion: Int
    /// The migration that keeps older documents from being upgraded; nil if there is none.
    private let blocking: Migration?
    private let upgrader: RecordUpgrader
    /// The coders of the values that it decodes.
    private let coding: RecordCoding

    /// Creates an upgrade for documents from a version on.
    ///
    /// - Parameters:
    ///   - migrations: The registry.
    ///   - oldestVersion: The least version of a document; by default the oldest that the registry supports.
    /// - Throws: ``MoltError`` with the code `invalidRegistry` if the registry has faults, or if one of the
    ///   migrations needs a whole store, because it has a block (`run`) or moves data in or out of the store. Those for
    ///   settings alone do not concern documents, and are passed over.
    public init(_ migrations: MigrationRegistry, from oldestVersion: Int? = nil) throws {
        try self.init(usablePartOf: migrations)
        guard let blocking, blocking.version > oldestVersion ?? migrations.oldestSupportedVersion else { return }
        throw MoltError(
            .invalidRegistry,
            "\(blocking.id) cannot upgrade a single document: it has a step that needs the whole store.",
            advice:
                "Write it with steps for single records, or pass `from: \(blocking.version)` if no document is older.",
            migration: blocking.id
        )
    }

    /// Creates an upgrade for the documents that can be upgraded; older ones are refused one by one.
    init(usablePartOf migrations: MigrationRegistry) throws {
        try migrations.validate()
        blocking = migrations.migrations.last { $0.steps.contains(where: \.needsStore) }
        version = migrations.version
        oldestVersion = max(migrations.oldestSupportedVersion, blocking?.version ?? 0)
        let usable = migrations.migrations.filter { [oldestVersion] in $0.version > oldestVersion }
        upgrader = RecordUpgrader(usable, storeName: nil)
        coding = migrations.coding
    }

    /// Upgrades a document.
    ///
    /// - Parameters:
    ///   - document: JSON text.
    ///   - typeName: The name that the document's type had at that version.
    ///   - version: The version at which the document was written.
    ///   - key: The document's key, for steps that read or change it, and for errors.
    ///   - expiration: When the document expires, for steps that read or change that.
    /// - Throws: ``MoltError`` that names the migration and the step if a step fails, whatever its failure policy;
    ///   with the code `superseded` if the version is later than that of the registry; with the code `tooOld` if it is
    ///   before ``oldestVersion``; with the code `malformedContent` if the document is not JSON text.
    public func upgrade(
        _ document: Data,
        ofType typeName: String,
        writtenAt version: Int,
        forKey key: String = "",
        expiration: Date? = nil
    ) throws -> Output {
        guard !typeName.isEmpty else {
            throw MoltError(.unsupported, "The document's type name is empty.", advice: "Pass the name of its type.")
        }
        try check(version)
        var record = Record(
            key: key,
            typeName: typeName,
            content: document,
            expiration: expiration?.timeIntervalSince1970,
            version: version
        )
        do {
            try record.read()
        } catch let error as MoltError {
            let reason = error.underlying.map { ": \($0)" } ?? ""
            throw record.error(
                .malformedContent,
                "The document is not JSON text\(reason).",
                underlying: error.underlying
            )
        }
        let outcome = try upgrader.upgrade(&record, upgrader.chain(typeName: typeName, from: version))
        return Output(
            content: outcome.changedAt == nil ? document : record.writtenContent,
            typeName: record.typeName,
            version: self.version,
            key: record.key,
            expiration: record.expiration,
            isDropped: outcome.isGone,
            isData: record.isData
        )
    }

    /// Upgrades a document, and decodes it with the registry's coders.
    ///
    /// - Returns: The value; nil if a step drops the document or deletes its type.
    /// - Throws: The errors of ``upgrade(_:ofType:writtenAt:forKey:expiration:)``, and `DecodingError`.
    public func value<Value: Decodable>(
        _ type: Value.Type,
        from document: Data,
        ofType typeName: String,
        writtenAt version: Int,
        forKey key: String = ""
    ) throws -> Value? {
        let upgraded = try upgrade(document, ofType: typeName, writtenAt: version, forKey: key)
        guard !upgraded.isDropped else { return nil }
        if upgraded.isData, let data = upgraded.content as? Value { return data }
        return try coding.decoder.decode(type, fromStored: upgraded.content)
    }

    private func check(_ version: Int) throws {
        guard version >= 0 else {
            throw MoltError(.unsupported, "The document's version is \(version). A version is 0 or more.")
        }
        if version > self.version {
            throw MoltError(
                .superseded,
                "The document has version \(version), which a newer app wrote; this one knows versions up to "
                    + "\(self.version).",
                advice: "Update the app."
            )
        }
        guard version < oldestVersion else { return }
        guard let blocking, blocking.version == oldestVersion else {
            throw MoltError(
                .tooOld,
                "The document has version \(version), and the registry supports documents from version \(oldestVersion) "
                    + "on.",
                advice: "Upgrade it with an earlier release."
            )
        }
        throw MoltError(
            .tooOld,
            "The document has version \(version), but \(blocking.id) has a step that needs the whole store, so it "
                + "cannot upgrade a single document.",
            migration: blocking.id
        )
    }
}

extension MigrationStep {
    /// Whether the step reads or changes more than one record at a time, and not only adds some.
    fileprivate var needsStore: Bool {
        if case .run = action { usesRecords && movedSettings == nil } else { false }
    }
}

extension Record {
    fileprivate var writtenContent: Data {
        var bytes: [UInt8] = []
        writeContent(to: &bytes)
        return Data(bytes)
    }
}
