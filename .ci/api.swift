// Lists the public declarations in symbol graphs; see .ci/api.
import Foundation

struct SymbolGraph: Decodable {
    struct Module: Decodable {
        let name: String
    }

    struct Symbol: Decodable {
        struct Identifier: Decodable {
            let precise: String
        }

        struct Fragment: Decodable {
            let spelling: String
        }

        let identifier: Identifier
        let pathComponents: [String]
        let declarationFragments: [Fragment]
        let accessLevel: String
    }

    struct Relationship: Decodable {
        let kind, source, target: String
        let targetFallback: String?
    }

    /// The protocols that the compiler infers for almost every type.
    private static let impliedProtocols: Set<String> = ["Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"]

    let module: Module
    let symbols: [Symbol]
    let relationships: [Relationship]

    /// One line for each declaration, and one for each conformance.
    ///
    /// - Parameter paths: The names of the symbols of all graphs: those of extensions stand in graphs of their own.
    func lines(_ paths: [String: String]) -> [String] {
        let declarations = symbols.map { symbol in
            let declaration = symbol.declarationFragments.map(\.spelling).joined()
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let access = symbol.accessLevel == "open" ? "open " : ""
            return "\(module.name): \(symbol.pathComponents.joined(separator: ".")): \(access)\(declaration)"
        }
        let conformances = relationships.compactMap { relationship -> String? in
            guard relationship.kind == "conformsTo", let path = paths[relationship.source] else { return nil }
            let name = relationship.targetFallback ?? paths[relationship.target] ?? relationship.target
            guard !Self.impliedProtocols.contains(name) else { return nil }
            return "\(module.name): \(path): conforms to \(name)"
        }
        return declarations + conformances
    }
}

let graphs = try CommandLine.arguments.dropFirst().map { path in
    try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: URL(filePath: path)))
}
let paths = Dictionary(
    graphs.flatMap(\.symbols).map { ($0.identifier.precise, $0.pathComponents.joined(separator: ".")) },
    uniquingKeysWith: { path, _ in path }
)
for line in Set(graphs.flatMap { $0.lines(paths) }).sorted() { print(line) }
