import Molt
import Testing

extension MigrationError {
    /// Expects this code and these places, and that the message contains some words; nil is not compared.
    func expect(
        _ code: Code? = nil,
        record: String? = nil,
        type: String? = nil,
        property: String? = nil,
        id: MigrationID? = nil,
        migration: String? = nil,
        step: Int? = nil,
        summary: String? = nil,
        store: String? = nil,
        attachedStore: String? = nil,
        storeVersion: Int? = nil,
        registryVersion: Int? = nil,
        outcome: Outcome? = nil,
        refusal: String? = nil,
        says words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        func same<Value: Equatable>(_ found: Value?, _ expected: Value?) {
            if let expected { #expect(found == expected, "\(self)", sourceLocation: sourceLocation) }
        }
        same(self.code, code)
        same(recordKey, record)
        same(recordType, type)
        same(self.property, property)
        same(self.migration, id)
        same(self.migration?.name, migration)
        same(self.step?.number, step)
        same(self.step?.summary, summary)
        same(self.store, store)
        same(self.attachedStore, attachedStore)
        same(self.storeVersion, storeVersion)
        same(self.registryVersion, registryVersion)
        same(self.outcome, outcome)
        same(underlying as? Refusal, refusal.map { Refusal(value: $0) })
        for words in words { #expect(message.contains(words), sourceLocation: sourceLocation) }
    }
}

extension CacheError {
    /// Expects this code and these places, and that the message contains some words; nil is not compared.
    func expect(
        _ code: Code? = nil,
        key: String? = nil,
        path: String? = nil,
        storedType: String? = nil,
        requestedType: String? = nil,
        says words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        func same<Value: Equatable>(_ found: Value?, _ expected: Value?) {
            if let expected { #expect(found == expected, "\(self)", sourceLocation: sourceLocation) }
        }
        same(self.code, code)
        same(self.key, key)
        same(self.path, path)
        same(self.storedType, storedType)
        same(self.requestedType, requestedType)
        for words in words { #expect(message.contains(words), sourceLocation: sourceLocation) }
    }
}
