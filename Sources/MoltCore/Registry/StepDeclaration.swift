/// What a step says of itself: its kind and its parameters, without its closure.
package enum StepDeclaration: Hashable, Sendable, CustomStringConvertible {
    case renameType(String, to: String)
    case deleteType(String)
    case renameProperty(type: String, path: PropertyPath, to: String, MigrationStep.MissingProperty)
    case moveProperty(type: String, path: PropertyPath, to: PropertyPath, MigrationStep.MissingProperty)
    case removeProperty(type: String, path: PropertyPath, MigrationStep.MissingProperty)
    case addProperty(type: String, path: PropertyPath, value: RecordValue)
    case transform(type: String, revision: Int)
    case convert(type: String, from: String, to: String, revision: Int)
    case run(words: String?, revision: Int)
    case builtIn(kind: String, words: String, parameters: [String], faults: [String])

    /// The step in words.
    package var description: String {
        switch self {
        case .renameType(let name, let newName): "rename the type \(name) to \(newName)"
        case .deleteType(let name): "delete the type \(name)"
        case .renameProperty(let type, let path, let newName, _): "rename \(type).\(path) to \(newName)"
        case .moveProperty(let type, let path, let newPath, _): "move \(type).\(path) to \(newPath)"
        case .removeProperty(let type, let path, _): "remove \(type).\(path)"
        case .addProperty(let type, let path, _): "add \(type).\(path) where it is missing"
        case .transform(let type, _): "transform \(type)"
        case .convert(let type, let old, let new, _): "convert \(type) from \(old) to \(new)"
        case .run(let words, _): words ?? "run a block"
        case .builtIn(_, let words, _, _): words
        }
    }
}
