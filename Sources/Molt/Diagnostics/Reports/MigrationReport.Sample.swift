extension MigrationReport {
    /// A record or a setting before and after a step, from a dry run with samples; it contains the user's values.
    public struct Sample: Equatable, Sendable {
        /// The record's key before the step.
        public let key: String
        /// The record's type before the step; the name of the suite for a setting.
        public let type: String
        /// The key after the step.
        public let newKey: String
        /// The type after the step.
        public let newType: String
        /// The content before the step; nil for a record that the step created.
        ///
        /// Raw data is replaced by a string with its size, and a date by its text.
        public let before: RecordValue?
        /// The content after the step; nil for a record that the step deleted.
        public let after: RecordValue?
        private var isSetting = false

        /// Creates a sample of a setting.
        package init(key: String, of store: String, before: RecordValue?, after: RecordValue?) {
            (self.key, type, newKey, newType) = (key, store, key, store)
            (self.before, self.after) = (before, after)
            isSetting = true
        }

        /// - Throws: `JSONSyntaxError` if a content is not JSON.
        init?(before: Record?, after: Record?) throws {
            guard let old = before ?? after, let new = after ?? before else { return nil }
            (key, type) = (old.key, old.typeName)
            (newKey, newType) = (new.key, new.typeName)
            self.before = try before?.value()
            self.after = new.isDropped ? nil : try after?.value()
        }
    }
}

extension Record {
    fileprivate func value() throws -> RecordValue {
        let content = writtenContent
        return isData ? "data, \(content.count) B" : try RecordValue(json: content)
    }
}

extension MigrationReport.Sample: CustomStringConvertible {
    /// The key and the type, and a line for each value that was removed or added.
    public var description: String {
        let name = "\(key.debugDescription) of \(isSetting ? "" : "type ")\(type)"
        guard let before else { return lines("\(name), created", removed: [], added: properties(of: after)) }
        guard let after else { return lines("\(name), deleted", removed: properties(of: before), added: []) }
        let (old, new) = (properties(of: before), properties(of: after))
        var title = name
        if !ExactName.isSame(key, newKey) { title += ", now \(newKey.debugDescription)" }
        if !ExactName.isSame(type, newType) { title += ", now of type \(newType)" }
        return lines(title, removed: old.filter { !new.contains($0) }, added: new.filter { !old.contains($0) })
    }

    private func lines(_ title: String, removed: [String], added: [String]) -> String {
        ([title] + removed.map { "  - \($0)" } + added.map { "  + \($0)" }).joined(separator: "\n")
    }

    /// Each value with its path, a line for each.
    private func properties(of value: RecordValue?, at path: [String] = []) -> [String] {
        guard let value else { return [] }
        if case .object(let object) = value, !object.properties.isEmpty {
            return object.properties.flatMap { properties(of: $0.value, at: path + [$0.name]) }
        }
        // A value from a record is never nested too deep to be written.
        let text = ((try? value.json()) ?? []).prefix(Self.longestValue * 4)
        let shown = ErrorSummary.oneLine(String(decoding: text, as: UTF8.self))
        let line = shown.count > Self.longestValue ? shown.prefix(Self.longestValue - 1) + "…" : shown
        return [path.isEmpty ? line : "\(PropertyPath(path)): \(line)"]
    }

    private static let longestValue = 100
}
