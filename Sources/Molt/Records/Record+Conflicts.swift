extension Record {
    /// Decides between a value that gets a new place and the value that is there.
    ///
    /// Null counts as missing. Values that differ only in the order of properties and in white space are equal.
    ///
    /// - Parameters:
    ///   - value: The JSON of the value that gets a new place.
    ///   - newPath: The new place.
    ///   - error: The error if the policy is to fail.
    /// - Returns: The JSON to put at the new place; nil if what is there stays.
    func resolve(
        _ value: [UInt8],
        at newPath: PropertyPath,
        _ policy: ConflictPolicy<RecordValue>,
        orThrow error: @autoclosure () -> MoltError
    ) throws -> [UInt8]? {
        guard let other = withValue(at: newPath, { Array($0) }), !other.elementsEqual("null".utf8) else { return value }
        if value.elementsEqual("null".utf8) { return nil }
        let existing = other.withUnsafeBufferPointer(RecordValue.init(checked:))
        let new = value.withUnsafeBufferPointer(RecordValue.init(checked:))
        if existing.sorted == new.sorted { return nil }
        switch try policy.choose(between: existing, and: new) {
        case .existing: return nil
        case .new: return value
        case .merged(let merged):
            guard let json = merged.json(within: [newPath]) else { throw tooDeep(newPath) }
            return json
        case .undecided: throw error()
        }
    }
}
