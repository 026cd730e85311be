extension TestingError.Code {
    /// A store is not as it was expected.
    public static let different = TestingError.Code(rawValue: "different")
}

extension StoreFixture {
    /// Throws unless the store equals another one; see ``StoreDifference``.
    ///
    /// ```swift
    /// try fixture.migrated(through: migrations).fixture.requireEqual(to: expected)
    /// ```
    ///
    /// - Throws: ``TestingError`` with the code `different` and a message that lists what is different.
    public func requireEqual(to expected: StoreFixture) throws {
        let difference = StoreDifference(expected: expected, found: self)
        guard !difference.isEmpty else { return }
        throw TestingError(.different, "The store is not as expected:\n\(difference)")
    }
}
