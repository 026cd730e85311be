import Testing

extension Notebook {
    /// Expects these lines, in this order.
    func expectLines(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try self.lines
        #expect(found == lines, sourceLocation: sourceLocation)
    }
}
