/// What a step says of itself: its kind and its parameters, without its closure.
package enum StepDeclaration: Hashable, Sendable, CustomStringConvertible {
    case renameType(String, to: String)
    case deleteType(String)
    case renameProperty(type: String, path: [String], to: String)
    case moveProperty(type: String, path: [String], to: [String])
    case removeProperty(type: String, path: [String])
    case addProperty(type: String, path: [String], value: RecordValue)
    case transform(type: String)
    case convert(type: String, from: String, to: String)
    case run(words: String)
    case builtIn(words: String, parameters: [String], faults: [String])

    /// The step in words.
    package var description: String {
        switch self {
        case .renameType(let name, let newName): "rename the type \(name) to \(newName)"
        case .deleteType(let name): "delete the type \(name)"
        case .renameProperty(let type, let path, let newName): "rename \(type).\(Self.joined(path)) to \(newName)"
        case .moveProperty(let type, let path, let newPath):
            "move \(type).\(Self.joined(path)) to \(Self.joined(newPath))"
        case .removeProperty(let type, let path): "remove \(type).\(Self.joined(path))"
        case .addProperty(let type, let path, _): "add \(type).\(Self.joined(path)) where it is missing"
        case .transform(let type): "transform \(type)"
        case .convert(let type, let old, let new): "convert \(type) from \(old) to \(new)"
        case .run(let words), .builtIn(let words, _, _): words
        }
    }

    private static func joined(_ path: [String]) -> String {
        path.joined(separator: ".")
    }
}
