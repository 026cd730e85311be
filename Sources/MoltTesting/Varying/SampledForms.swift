internal import Molt

/// What the samples of one type show of how its release writes values: the cases of enums, and nil.
struct SampledForms {
    private struct Enum: Hashable {
        var name: String
        /// All raw values, if they are known; types of one name may be several.
        var rawValues: [String]?

        init(_ shape: TypeShape) {
            name = shape.name
            if case .raw(_, let cases, _) = shape.form { rawValues = cases }
        }
    }

    private var cases: [Enum: [String: String]] = [:]
    /// The paths of properties that are absent in some sample, and of those that are null in some.
    private var absent: Set<String> = []
    private var null: Set<String> = []

    /// Adds what a sample shows.
    mutating func add(_ content: ShapedContent) {
        for position in content.positions {
            guard let part = position.part else {
                absent.insert(position.path)
                continue
            }
            if part.kind == .null { null.insert(position.path) }
            guard let name = position.shape.caseName(of: part) else { continue }
            let first = cases[Enum(position.shape)]?[name] ?? part.text
            cases[Enum(position.shape), default: [:]][name] = first
        }
    }

    /// Whether the release leaves out a property that is nil, as far as samples show it.
    ///
    /// A type with a hand-written `encode(to:)` may always write null, and be unable to read anything else.
    func canBeAbsent(_ path: String) -> Bool { absent.contains(path) || !null.contains(path) }

    /// The JSON texts of the known cases of an enum, by their names.
    func cases(of shape: TypeShape) -> [String: String] {
        var texts = cases[Enum(shape)] ?? [:]
        switch shape.form {
        case .raw(let raw, let names?, _):
            for name in names where texts[name] == nil {
                texts[name] = raw.name == "String" ? JSONText.string(name).text : name
            }
        case .cases(let cases, _, _):
            for (name, values) in cases where texts[name] == nil {
                // A case without associated values, or one for which there is a sample.
                guard case .object(let object) = values.form, object.properties.isEmpty else { continue }
                texts[name] = JSONText.object([(name, .raw("{}"))]).text
            }
        default: break
        }
        return texts
    }
}

extension TypeShape {
    /// The name of the case that a value of an enum has; nil if this is no enum, or the value is none.
    func caseName(of part: JSONPart) -> String? {
        switch form {
        case .raw where part.kind == .string || part.kind == .number: part.string ?? part.text
        case .cases where part.properties?.count == 1: part.properties?.first?.name
        default: nil
        }
    }
}
