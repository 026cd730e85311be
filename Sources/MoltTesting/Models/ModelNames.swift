internal import Molt

/// Names that are Swift identifiers, each once in its scope.
struct ModelNames {
    private var used: Set<String>
    /// The declared types, with the names by which the app knows them.
    private var declared: [(shape: TypeShape, isKey: Bool, name: String)] = []

    /// - Parameter names: Names that no type may have.
    init(avoiding names: Set<String> = []) {
        used = names
    }

    /// The names of the types of the standard library and Foundation that shapes mention.
    ///
    /// A model of that name would hide them.
    static func leaves(of shapes: some Sequence<TypeShape>) -> Set<String> {
        var names: Set = ["Codable", "CodingKey", "CodingKeys", "Hashable", "Sendable", "String", "Type", "Self"]
        func add(_ shape: TypeShape) {
            if shape.form == .leaf {
                names.formUnion(shape.name.split { !$0.isLetter && !$0.isNumber }.map(String.init))
            }
            for part in shape.parts { add(part) }
        }
        for shape in shapes { add(shape) }
        return names
    }

    /// The name of a type.
    mutating func type(_ text: String) -> String {
        let name = Self.identifier(text)
        return unique(name.prefix(1).uppercased() + name.dropFirst())
    }

    /// The name of a property or a case, without backticks.
    mutating func property(_ text: String) -> String {
        Self.isIdentifier(text) && !Self.unusable.contains(text) ? unique(text) : unique(Self.camelCase(text))
    }

    /// The name of a type that was declared in the scope for the same shape; nil if there is none.
    func name(of shape: TypeShape, isKey: Bool) -> String? {
        declared.first { $0.shape.name == shape.name && $0.shape.form == shape.form && ($0.isKey || !isKey) }?.name
    }

    mutating func declare(_ shape: TypeShape, isKey: Bool, as name: String) {
        declared.append((shape, isKey, name))
    }

    private mutating func unique(_ name: String) -> String {
        var (candidate, number) = (name, 2)
        while !used.insert(candidate).inserted {
            candidate = "\(name)\(number)"
            number += 1
        }
        return candidate
    }

    // MARK: Identifiers

    /// Whether a text is an identifier, perhaps with backticks.
    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first == "_" || first.isLetter, text != "_" else { return false }
        return text.unicodeScalars.allSatisfy { $0 == "_" || $0.isLetter || "0"..."9" ~= $0 }
    }

    /// An identifier in code.
    static func code(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    private static func identifier(_ text: String) -> String {
        if isIdentifier(text) { return text }
        let words = text.split { !isIdentifier("a\($0)") }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let name = words.joined()
        return isIdentifier(name) ? name : "Value" + name
    }

    private static func camelCase(_ text: String) -> String {
        let name = identifier(text)
        let lower = name.prefix(1).lowercased() + name.dropFirst()
        return unusable.contains(lower) ? lower + "Value" : lower
    }

    /// Names that are not those of a property even with backticks, or have another meaning.
    private static let unusable: Set<String> = ["self", "Self", "Type", "init", "Protocol"]

    private static let keywords = Set(
        """
        as associatedtype break case catch class continue default defer deinit do else enum extension fallthrough false \
        fileprivate for func guard if import in inout internal is let nil operator precedencegroup private protocol \
        public repeat rethrows return static struct subscript super switch throw throws true try typealias var where \
        while Any
        """
        .split(separator: " ").map(String.init)
    )
}

extension Unicode.Scalar {
    /// ASCII, or a letter that Swift allows in identifiers, as far as that is simple.
    fileprivate var isLetter: Bool {
        "a"..."z" ~= self || "A"..."Z" ~= self
            || value > 0xBF && properties.isAlphabetic && properties.isXIDContinue && !properties.isEmoji
    }
}

extension TypeShape {
    /// The shapes in it.
    var parts: [TypeShape] {
        switch form {
        case .object(let object): Array(object.properties.values)
        case .array(let element): [element]
        case .dictionary(let key, let value): [key, value]
        case .raw(let raw, _, _): [raw]
        case .cases(let cases, _, _): Array(cases.values)
        case .single(let value): [value]
        case .unknown, .varying, .leaf, .reference: []
        }
    }
}
