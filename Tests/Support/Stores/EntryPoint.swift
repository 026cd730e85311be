package import Testing

/// The ways in which an app upgrades its store; as in Realm's tests, many tests run through all of them.
package enum EntryPoint: String, CaseIterable, Sendable {
    case initializer
    case asyncOpen
    /// A migrator on a cache file, with batches of two records, so that small stores have several.
    case migrator
    /// A migrator on an in-memory store, with batches of three records.
    case inMemory

    /// The one that the running test uses.
    @TaskLocal package static var current = EntryPoint.initializer
}

/// Runs each test once through each of some entry points; a test's own trait takes the place of its suite's.
package struct EntryPointTrait: SuiteTrait, TestTrait, TestScoping {
    package var entries: [EntryPoint]

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let traits = test.traits.compactMap { $0 as? EntryPointTrait }
        guard traits.last?.entries == entries else { return try await function() }
        for entry in entries {
            let naming = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("The store was upgraded through \(entry).")
                return issue
            }
            try await naming.provideScope(for: test, testCase: testCase) {
                try await EntryPoint.$current.withValue(entry) { try await function() }
            }
        }
    }
}

extension Trait where Self == EntryPointTrait {
    package static var throughEveryEntryPoint: Self { Self(entries: EntryPoint.allCases) }

    package static func through(_ entries: EntryPoint...) -> Self { Self(entries: entries) }
}
