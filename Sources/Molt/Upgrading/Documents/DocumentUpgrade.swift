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
/// that a cache's record would have. A step that extracts records yields more documents, which
/// ``upgradeAll(_:ofType:writtenAt:forKey:expiration:)`` returns. A block (`run`) needs a whole store, so documents
/// from before the last block are refused; see ``oldestVersion``.
///
/// A value can be used by any number of threads at once: keep one, since creating it takes longer than upgrading a
/// document.
public struct DocumentUpgrade: Sendable {
    /// The version that documents have afterwards: that of the registry.
    public let version: Int
    /// The version from which on documents can be upgraded.
    public let oldestVersion: Int
    /// The migration that keeps older documents from being upgraded; nil if there is none.
    private let blocking: Migration?
    /// The registry without its shortcuts.
    private let registry: MigrationRegistry
    private let steps: DocumentSteps
    private let replacements: [Replacement]
    /// The types that documents have today; nil for any.
    private let types: Set<ExactName>?
    /// The coders of the values that it decodes.
    private let coding: RecordCoding

    /// A migration that replaces others which are no longer registered.
    private struct Replacement: Sendable {
        let migration: Migration
        /// The versions of documents that may have been through some of the others.
        let versions: Range<Int>

        init?(_ migration: Migration, in registry: MigrationRegistry) {
            let names = Set(registry.migrations.map { ExactName($0.name) })
            guard !migration.replaces.allSatisfy({ names.contains(ExactName($0)) }) else { return nil }
            let earlier = registry.migrations.map(\.version).filter { $0 < migration.version }.max() ?? 0
            let before = max(earlier, registry.oldestSupportedVersion)
            self.migration = migration
            versions = before + 1..<migration.version
        }
    }

    /// Creates an upgrade for documents.
    ///
    /// - Parameters:
    ///   - migrations: The registry. Its migrations of settings do not concern documents, and are passed over.
    ///   - types: The names of all types that documents have today. A document that is of another type after its
    ///     upgrade is then an error, so that a misspelled name is noticed. By default, any type is accepted.
    ///   - oldestVersion: The least version of the app's documents, if the registry must be able to upgrade all of
    ///     them.
    /// - Throws: ``MoltError`` with the code `invalidRegistry` if the registry has faults, or cannot upgrade documents
    ///   of the version `oldestVersion`, or if that version is later than the registry's.
    public init(_ migrations: MigrationRegistry, types: [String]? = nil, from oldestVersion: Int? = nil) throws {
        try migrations.validate()
        // A document has no ledger that could tell whether it has been through a part of a shortcut's way.
        let migrations = migrations.withoutShortcuts
        blocking = migrations.migrations.last { $0.steps.contains { RunMode.document.use(of: $0) == .impossible } }
        version = migrations.version
        let oldest = max(migrations.oldestSupportedVersion, blocking?.version ?? 0)
        self.oldestVersion = oldest
        self.types = types.map { Set($0.map(ExactName.init)) }
        coding = migrations.coding
        replacements = migrations.migrations.compactMap { Replacement($0, in: migrations) }
        registry = migrations
        let later = migrations.migrations.filter { $0.version > oldest }
        let schedule = UpgradeSchedule(later.map { PendingMigration(backfilling: $0) }) { migration, number in
            RunMode.document.use(of: migration.steps[number]) != .skipped
        }
        steps = DocumentSteps(schedule, storeName: nil)
        guard let oldestVersion else { return }
        guard oldestVersion <= version else {
            throw MoltError(
                .invalidRegistry,
                "No document is of version \(oldestVersion): the registry's last version is \(version).",
                advice: "Pass the oldest version of the documents that exist."
            )
        }
        guard let blocking, oldestVersion < oldest else { return }
        throw MoltError(
            .invalidRegistry,
            "Migration \(blocking.id) cannot upgrade a single document: it has a step that needs the whole store.",
            advice: "Write it with steps for single records, or pass `from: \(oldest)` if no document is older.",
            migration: blocking.id
        )
    }

    /// Upgrades a document.
    ///
    /// - Parameters:
    ///   - document: JSON text.
    ///   - typeName: The name that the document's type had at that version.
    ///   - version: The version of the registry of the app that wrote the document; 0 if it had none. With one that is
    ///     too high, migrations are skipped without an error.
    ///   - key: The document's key, for steps that read or change it, and for errors.
    ///   - expiration: When the document expires, for steps that read or change that.
    /// - Throws: ``MoltError`` that names the migration and the step if a step fails, whatever its failure policy;
    ///   with the code `superseded` if the version is later than that of the registry; with the code `tooOld` if it is
    ///   before ``oldestVersion``; with the code `partlyReplaced` if only migrations that are no longer registered,
    ///   because one replaces them, can have led to it; with the code `malformedContent` if the document is not JSON
    ///   text; with the code `unsupported` if a step extracts documents from it, or if it gets a type that is not one
    ///   of the upgrade's types.
    public func upgrade(
        _ document: Data,
        ofType typeName: String,
        writtenAt version: Int,
        forKey key: String = "",
        expiration: Date? = nil
    ) throws -> Output {
        let documents = try documents(
            from: document,
            ofType: typeName,
            writtenAt: version,
            forKey: key,
            expiration: expiration
        )
        try Self.checkHandovers(documents)
        if let error = documents.lazy.filter({ !$0.isDropped }).compactMap(\.extractionError).first { throw error }
        return output(of: documents[0], from: document)
    }

    /// Upgrades a document from which steps may extract others.
    ///
    /// ```swift
    /// for document in try documents.upgradeAll(json, ofType: "Post", writtenAt: 0, forKey: "p") {
    ///     try document.isDropped ? remove(document.key) : store(document)
    /// }
    /// ```
    ///
    /// Store each under its key, in one transaction. The objects of one document are merged by the step's `onConflict`;
    /// what happens to another document with such a key is for the caller to decide.
    ///
    /// - Parameters:
    ///   - document: JSON text.
    ///   - typeName: The name that the document's type had at that version.
    ///   - version: The version of the registry of the app that wrote the document; 0 if it had none.
    ///   - key: The document's key.
    ///   - expiration: When the document expires.
    /// - Returns: The document, also if a step drops it, then those that were extracted from it.
    /// - Throws: The errors of ``upgrade(_:ofType:writtenAt:forKey:expiration:)``, but not for an extraction.
    public func upgradeAll(
        _ document: Data,
        ofType typeName: String,
        writtenAt version: Int,
        forKey key: String = "",
        expiration: Date? = nil
    ) throws -> [Output] {
        let documents = try document.withUnsafeBytes { document in
            try upgradeAll(document, ofType: typeName, writtenAt: version, forKey: key, expiration: expiration)
        }
        return documents.map { output(of: $0, from: document) }
    }

    /// The same for a document whose bytes are lent, and a caller that writes the records itself.
    package func upgradeAll(
        _ document: UnsafeRawBufferPointer,
        ofType typeName: String,
        writtenAt version: Int,
        forKey key: String = "",
        expiration: Date? = nil
    ) throws -> [DocumentSteps.Document] {
        var documents = try documents(
            from: document,
            ofType: typeName,
            writtenAt: version,
            forKey: key,
            expiration: expiration
        )
        try Self.checkHandovers(documents)
        documents.removeAll { $0.isExtracted && $0.isDropped }
        return documents
    }

    /// Upgrades a document, for a caller that stores the records itself.
    ///
    /// - Returns: The document, then those that were extracted from it; also those that are gone.
    /// - Throws: The errors of ``upgrade(_:ofType:writtenAt:forKey:expiration:)``.
    func documents(
        from document: some ContiguousBytes,
        ofType typeName: String,
        writtenAt version: Int,
        forKey key: String,
        expiration: Date?
    ) throws -> [DocumentSteps.Document] {
        guard !typeName.isEmpty else {
            throw MoltError(.unsupported, "The document's type name is empty.", advice: "Pass the name of its type.")
        }
        try check(version)
        var record = Record()
        LentRecord.with(key, document, isData: false, expiration: expiration?.timeIntervalSince1970) {
            record.load($0, typeName: typeName, version: version)
        }
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
        do {
            let documents = try steps.upgrade(record)
            for document in documents { try checkType(of: document) }
            return documents
        } catch let error as MoltError {
            throw error.ofDocument
        }
    }

    /// Throws if a step takes the records of a document's type out of a store, which there is none for a document.
    private static func checkHandovers(_ documents: [DocumentSteps.Document]) throws {
        for document in documents {
            if let step = document.handedOverBy { throw MoltError.handedOver(document.record, by: step) }
        }
    }

    private func checkType(of document: DocumentSteps.Document) throws {
        let record = document.record
        guard let types, !document.isDropped, !types.contains(ExactName(record.typeName)) else { return }
        let nearest = MigrationReport.UnmatchedName.nearest(to: record.typeName, among: types.map(\.text).sorted())
        throw record.error(
            .unsupported,
            "No document has the type \"\(record.typeName)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "."),
            advice: "Correct the name, or add the type to the types of the upgrade."
        )
    }

    /// The output for a document, which is that passed or was extracted from it.
    ///
    /// - Parameter original: The bytes that were passed.
    func output(of document: DocumentSteps.Document, from original: Data) -> Output {
        let isOriginal = !document.isChanged && !document.isExtracted
        return Output(document, version: version, original: isOriginal ? original : nil)
    }

    /// Upgrades a document, and decodes it with the registry's coders.
    ///
    /// Documents that a step extracts from it are left out.
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
        let upgraded = try upgradeAll(document, ofType: typeName, writtenAt: version, forKey: key)[0]
        guard !upgraded.isDropped else { return nil }
        if upgraded.isData, let data = upgraded.content as? Value { return data }
        return try coding.decoder.decode(type, fromStored: upgraded.content)
    }

    /// What an upgrade does to the documents of a type.
    ///
    /// - Parameters:
    ///   - typeName: The name that the type had.
    ///   - version: The version of the documents.
    ///   - models: The names of the types that the app has today, so that the plan notices a misspelled name.
    /// - Throws: ``MoltError`` for a version from which documents cannot be upgraded, as
    ///   ``upgrade(_:ofType:writtenAt:forKey:expiration:)`` does.
    package func plan(ofType typeName: String, writtenAt version: Int, models: [String]) throws -> DocumentPlan {
        try check(version)
        return DocumentPlan(ofType: typeName, from: version, through: registry, models: models)
    }

    private func check(_ version: Int) throws {
        guard version >= 0 else {
            throw MoltError(.unsupported, "The document's version is \(version). A version is 0 or more.")
        }
        if version > self.version {
            throw MoltError(
                .superseded,
                "The document has version \(version), which a newer release of the app wrote; this one knows versions "
                    + "up to \(self.version).",
                advice: "Update the app.",
                storeVersion: version,
                registryVersion: self.version
            )
        }
        guard version < oldestVersion else { return try checkReplacements(version) }
        guard let blocking, blocking.version == oldestVersion else {
            throw MoltError(
                .tooOld,
                "The document has version \(version), and the oldest version that the registry supports is "
                    + "\(oldestVersion).",
                advice: "Upgrade it with an earlier release."
            )
        }
        throw MoltError(
            .tooOld,
            "The document has version \(version), but migration \(blocking.id) has a step that needs the whole store, "
                + "so it cannot upgrade a single document.",
            advice: "If it has not shipped, write it with steps for single records. Otherwise, keep such documents as "
                + "records of a store.",
            migration: blocking.id
        )
    }
}

extension DocumentUpgrade {
    /// Refuses a version that only migrations which are no longer registered can have led to.
    private func checkReplacements(_ version: Int) throws {
        guard let migration = replacements.first(where: { $0.versions.contains(version) })?.migration else { return }
        throw MoltError(
            .partlyReplaced,
            "The document has version \(version), so it has been through some of the migrations that \(migration.id) "
                + "replaces, and it is unknown which.",
            advice: "Keep the replaced migrations in the registry beside it.",
            migration: migration.id,
            storeVersion: version
        )
    }
}

extension MoltError {
    /// A step takes the records of a document's type out of the store.
    fileprivate static func handedOver(_ document: Record, by step: ScheduledStep) -> Self {
        let error = Self(
            .unsupported,
            "The step hands over the records of type \"\(document.typeName)\", and a document is in no store.",
            advice: "Store the document where the step's closure stores those records."
        )
        return Self(error, in: step, key: document.key, type: document.typeName, store: nil)
    }
}

extension DocumentUpgrade: CustomStringConvertible {
    /// The versions of the documents, such as "documents from version 0 on, upgraded to version 3".
    public var description: String { "documents from version \(oldestVersion) on, upgraded to version \(version)" }
}
