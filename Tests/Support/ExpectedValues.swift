package import Molt
package import Testing

/// Expects a value; an `#expect` with `try` in it takes the compiler several times as long.
package func expect<Value: Equatable>(
    _ found: Value,
    is expected: Value,
    _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(found == expected, comment, sourceLocation: sourceLocation)
}

extension StoreState {
    /// Expects a version, and the suites with committed changes that are still to be made.
    package func expect(version: Int, journal: [String] = [], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(self.version == version, sourceLocation: sourceLocation)
        #expect(self.journal == journal, sourceLocation: sourceLocation)
    }
}
