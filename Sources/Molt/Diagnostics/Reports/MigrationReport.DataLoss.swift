extension MigrationReport {
    /// Data that a migration removes or replaces: a property, records, or a setting.
    ///
    /// A plan lists what the declarations of its steps say. A report lists what was removed, including the records that
    /// closures dropped. Only a dry run reports top-level properties that a closure removed or a conversion between two
    /// models replaced, even if it has moved their values.
    public struct DataLoss: Equatable, Sendable, Encodable, CustomStringConvertible {
        package enum Kind: String, Sendable, Encodable {
            /// A property of the records of a type.
            case property
            /// Values of a property that were replaced, or that lost their fractions of seconds.
            case values
            /// A property that a conversion between two models does not encode under its name.
            ///
            /// Its value may be in another property.
            case converted
            /// Records of a type.
            case records
            /// Records of a type that were merged with others of the same key.
            case merged
            /// Values that met others, at the new place of a property or setting.
            case conflicts
            /// A setting of a suite.
            case setting
            /// The settings of a suite with a prefix.
            case settings
        }

        package var kind: Kind
        /// The name of the data, as its kind needs it.
        ///
        /// - for a property, its path after the type or the key of the setting, such as "Person.fax" or "profile.fax"
        /// - for records, their type
        /// - for merged records, their type and " (merged)"
        /// - for values that met others, the property or key where they met, and " (conflicts)"
        /// - for a setting, its key
        /// - for settings with a prefix, the prefix and an asterisk
        public package(set) var name: String
        /// The number of records that were changed or deleted, or of settings with a prefix or in conflict; nil in a
        /// plan, for a setting, and for properties in conflict.
        public package(set) var count: Int?

        package init(_ kind: Kind, _ name: String, count: Int? = nil) {
            self.kind = kind
            self.name = name
            self.count = count
        }

        /// Records of a type that became one with others.
        ///
        /// The name is not that of the type, so that who acknowledges it does not acknowledge that the type is deleted.
        static func merged(_ type: String, count: Int? = nil) -> DataLoss {
            DataLoss(.merged, type + mergedSuffix, count: count)
        }

        /// Values of properties or settings that met others at a place.
        static func conflicts(at place: String, count: Int? = nil) -> DataLoss {
            DataLoss(.conflicts, place + conflictsSuffix, count: count)
        }

        private static let mergedSuffix = " (merged)"
        private static let conflictsSuffix = " (conflicts)"

        /// The type of merged records.
        package var typeName: String { String(name.dropLast(Self.mergedSuffix.count)) }
        /// Where values met.
        package var meetingPlace: String { String(name.dropLast(Self.conflictsSuffix.count)) }

        /// Whether a conversion has replaced the data, which may have kept what was in it.
        package var isReplacement: Bool { kind == .values || kind == .converted }

        /// The data in a few words.
        public var description: String {
            let records = count.map(DisplayText.records)
            let location = records.map { " in \($0)" } ?? ""
            return switch kind {
            case .property, .converted: "\(name)\(location)"
            case .values: "values of \(name)\(location)"
            case .records: "\(records ?? "all records") of type \(name)"
            case .merged: "\(records ?? "records") of type \(typeName) merged with others of the same key"
            case .conflicts:
                "one of two values\(count.map { " of \(DisplayText.settings($0))" } ?? ", where both exist,") "
                    + "at \(meetingPlace)"
            case .setting: "the setting \(name)"
            case .settings: "\(count.map { "\(DisplayText.grouped($0)) settings" } ?? "all settings") \(name)"
            }
        }
    }
}

extension [MigrationReport.DataLoss] {
    /// A line about removed data and one about replaced data, without those that would be empty.
    ///
    /// - Parameters:
    ///   - removing: The words before the removed data.
    ///   - replacing: The words before the replaced data.
    func summaries(removing: String, replacing: String) -> [String] {
        let replaced = filter(\.isReplacement).map(\.description)
        let removed = filter { !$0.isReplacement }.map(\.description)
        return [(removing, removed), (replacing, replaced)].filter { !$1.isEmpty }
            .map { words, names in
                let shown = 10
                let more = names.count > shown ? ["and \(names.count - shown) more"] : []
                return "\(words) \((names.prefix(shown) + more).joined(separator: "; "))"
            }
    }
}
