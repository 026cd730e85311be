internal import Molt

/// A sample's content with the shape that its release knew, as a list of the places that the shape describes.
struct ShapedContent {
    /// A property, an element, or the whole content.
    struct Position {
        /// The path in words, such as `addresses[].zip`; empty for the whole content.
        let path: String
        let shape: TypeShape
        /// The value; nil if the property is absent.
        let part: JSONPart?
        /// The object whose property this is, and the property's stored name; nil for other places.
        let property: (object: JSONPart, name: String)?
    }

    private(set) var positions: [Position] = []
    private let coding: RecordCoding
    /// The shapes of the types around the current place, by name.
    private var enclosing: [String: TypeShape] = [:]

    init(_ content: JSONPart, _ shape: TypeShape, _ coding: RecordCoding) {
        self.coding = coding
        add(Position(path: "", shape: shape, part: content, property: nil))
    }

    private mutating func add(_ position: Position) {
        // Anything may be in such a place.
        guard !position.shape.keepsUnknown else { return }
        positions.append(position)
        if let part = position.part, part.kind != .null { addParts(of: part, position.shape, at: position.path) }
    }

    private mutating func addParts(of part: JSONPart, _ shape: TypeShape, at path: String) {
        switch shape.form {
        case .object(let object):
            let outer = enclosing
            enclosing[shape.name] = shape
            addProperties(of: part, object.properties, at: path)
            enclosing = outer
        case .cases(let cases, _, _):
            addProperties(of: part, cases, at: path, onlyPresent: true)
        case .array(let element):
            for value in part.elements ?? [] { addElement(value, element, at: path) }
        case .dictionary(let key, let value):
            for member in part.properties ?? [] { addElement(member.value, value, at: path) }
            // Keys and values alternate.
            for (index, element) in (part.elements ?? []).enumerated() {
                addElement(element, index.isMultiple(of: 2) ? key : value, at: path)
            }
        case .single(let value):
            add(Position(path: path, shape: value, part: part, property: nil))
        case .reference:
            if let outer = enclosing[shape.name] { addParts(of: part, outer, at: path) }
        case .unknown, .varying, .leaf, .raw:
            break
        }
    }

    private mutating func addElement(_ value: JSONPart, _ shape: TypeShape, at path: String) {
        add(Position(path: path + "[]", shape: shape, part: value, property: nil))
    }

    private mutating func addProperties(
        of object: JSONPart,
        _ shapes: [String: TypeShape],
        at path: String,
        onlyPresent: Bool = false
    ) {
        guard let properties = object.properties else { return }
        let values = Dictionary(properties.map { ($0.name, $0.value) }) { $1 }
        for (name, shape) in shapes.sorted(by: { $0.key < $1.key }) {
            let stored = coding.storedName(of: name)
            guard !onlyPresent || values[stored] != nil else { continue }
            add(
                Position(
                    path: path.isEmpty ? name : "\(path).\(name)",
                    shape: shape,
                    part: values[stored],
                    property: (object, stored)
                )
            )
        }
    }
}
