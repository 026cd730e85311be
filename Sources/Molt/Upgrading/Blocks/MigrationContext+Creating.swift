public import Foundation

extension MigrationContext {
    /// Adds a record.
    ///
    /// - Parameters:
    ///   - type: Its type name.
    ///   - key: A key that is not in use.
    ///   - content: A value, encoded with the migration's coders; `Data` is stored as raw data.
    ///   - expiration: When it expires; nil for never.
    /// - Throws: ``MoltError`` with the code `keyExists`, or `typeMismatch` when the value cannot be encoded.
    public func create(_ type: String, forKey key: String, _ content: some Encodable, expiration: Date? = nil) throws {
        var record = Record(coding: coding, key: key, typeName: type)
        try record.replaceContent(with: content)
        try insert(&record, expiration)
    }

    /// Adds a record with properties of any kind.
    ///
    /// - Throws: ``MoltError`` with the code `keyExists`.
    public func create(_ type: String, forKey key: String, _ content: RecordValue, expiration: Date? = nil) throws {
        var record = Record(coding: coding, key: key, typeName: type)
        try record.replaceContent(with: content)
        try insert(&record, expiration)
    }
}

/// Support for steps that import records from other libraries' files.
extension MigrationContext {
    /// Returns a record whose content is, byte for byte, the value of an object's only property.
    ///
    /// It is not in the store yet. Returns nil if the JSON is not an object with only that property.
    func record(_ type: String, forKey key: String, onlyValueOf property: String, in json: [UInt8]) -> Record? {
        guard let value = SplicedObject.onlyValue(of: property, in: json) else { return nil }
        var record = Record(coding: coding, key: key, typeName: type, content: value)
        return (try? record.read()) == nil ? nil : record
    }

    /// Returns a record of raw data, which is not in the store yet.
    func record(_ type: String, forKey key: String, data: [UInt8]) -> Record {
        Record(coding: coding, key: key, typeName: type, content: data, isData: true)
    }

    /// Adds a record that is not in the store yet.
    ///
    /// - Throws: ``MoltError`` with the code `keyExists`.
    func create(_ record: Record, expiration: Date?) throws {
        var record = record
        try insert(&record, expiration)
    }

    /// The time at which the upgrade began, by the clock of the cache.
    var now: Date { runner.now }

    func checkCancellation() throws {
        try configuration.checkCancellation()
    }
}

extension SplicedObject {
    /// The bytes of a property's value in a JSON object that has no other property.
    fileprivate static func onlyValue(of property: String, in json: [UInt8]) -> [UInt8]? {
        var object = SplicedObject(bytes: json)
        do throws(JSONSyntaxError) {
            try object.read()
        } catch {
            return nil
        }
        guard object.members.count == 1, let index = object.lastIndex(of: property) else { return nil }
        return object.withValue(at: index) { Array($0) }
    }
}

extension MigrationContext {
    /// The settings of a suite during an upgrade; changes are written after the commit.
    ///
    /// All steps of an upgrade share the settings, so each sees the changes of earlier steps.
    ///
    /// If another store has already brought the suite through this migration, the block sees its result, and what it
    /// changes in the suite is not kept.
    ///
    /// - Throws: ``MoltError`` with the code `suiteNotNamed` if neither the step's `suites` nor the opening names
    ///   the suite, or `deferred` if it cannot be read now; ``MoltError`` if it cannot be read at all.
    public func suite(_ suite: Suite) throws -> SuiteEditor {
        let name = suite.attachedName
        let isDeclared = step.declared.attached.contains { $0.name == name }
        let editor = try perform { _ in try attachedWork.editor(of: suite, for: isDeclared ? .declaringStep : .block) }
        usedStores.insert(name)
        usedSuites.insert(name)
        return editor
    }

    /// The files of a directory during an upgrade; removals are made after the commit.
    func directory(_ directory: AttachedDirectory) throws -> AttachedDirectory.Session {
        let session = try perform { _ in try attachedWork.session(directory) }
        usedStores.insert(directory.name)
        return session
    }

    /// Adds the outcome for one key to the report.
    package func note(_ outcome: MigrationReport.KeyOutcome) {
        keys.append(outcome)
    }
}
