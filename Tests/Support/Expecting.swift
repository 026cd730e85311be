package import Molt
package import Testing

extension MoltError {
    /// The error of Molt that a call throws; it is an issue if there is none.
    @discardableResult
    package static func thrown<Value>(
        sourceLocation: SourceLocation = #_sourceLocation,
        by call: () throws -> Value
    ) -> MoltError? {
        #expect(throws: MoltError.self, sourceLocation: sourceLocation) { _ = try call() }
    }

    /// Expects this code and these places, and that the message contains some words; nil is not compared.
    package func expect(
        _ code: Code? = nil,
        key: String? = nil,
        type: String? = nil,
        requestedType: String? = nil,
        property: String? = nil,
        id: MigrationID? = nil,
        migration: String? = nil,
        step: Int? = nil,
        summary: String? = nil,
        store: String? = nil,
        suite: String? = nil,
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
        same(self.key, key)
        same(self.type, type)
        same(self.requestedType, requestedType)
        same(self.property, property)
        same(self.migration, id)
        same(self.migration?.name, migration)
        same(self.step?.number, step)
        same(self.step?.summary, summary)
        same(self.store, store)
        same(self.suite, suite)
        same(self.storeVersion, storeVersion)
        same(self.registryVersion, registryVersion)
        same(self.outcome, outcome)
        same(underlying as? Refusal, refusal.map { Refusal(value: $0) })
        for words in words { #expect(message.contains(words), sourceLocation: sourceLocation) }
    }
}

/// An error that a closure throws; its description stands for a user's data.
package struct Refusal: Error, Equatable, CustomStringConvertible {
    package var value: String

    package init(value: String = "") {
        self.value = value
    }

    package var description: String { value }
}
