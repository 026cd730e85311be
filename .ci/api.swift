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
    var lines: [String] {
        let paths = Dictionary(
            symbols.map { ($0.identifier.precise, $0.pathComponents.joined(separator: ".")) },
            uniquingKeysWith: { path, _ in path }
        )
        let declarations = symbols.map { symbol in
            let declaration = symbol.declarationFragments.map(\.spelling).joined()
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return "\(module.name): \(symbol.pathComponents.joined(separator: ".")): \(declaration)"
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

let lines = try CommandLine.arguments.dropFirst().flatMap { path in
    try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: URL(filePath: path))).lines
}
for line in Set(lines).sorted() { print(line) }
