import Molt
import MoltTesting

/// Collects the shape of the records of one type, one after the other.
struct ShapeCollector {
    /// The values at one path.
    private final class Node {
        let path: String
        var kinds: [StoreShapes.Kind: Int] = [:]
        var recordCount = 0
        /// The number of the last record that had a value here.
        var lastRecord = 0
        var names: [String] = []
        var properties: [String: Node] = [:]
        var elements: Node?

        init(_ path: String) {
            self.path = path
        }
    }

    private let root = Node("")
    private var recordCount = 0
    private var nodeCount = 0
    private var isTruncated = false

    /// Adds the content of a record.
    mutating func add(_ content: [UInt8], isData: Bool) {
        recordCount += 1
        if isData {
            root.kinds[.data, default: 0] += 1
        } else if let text = String(utf8: content), let part = try? JSONPart(text) {
            add(part, to: root)
        } else {
            root.kinds[.unreadable, default: 0] += 1
        }
    }

    private mutating func add(_ part: JSONPart, to node: Node) {
        node.kinds[StoreShapes.Kind(part.kind), default: 0] += 1
        if node.lastRecord != recordCount {
            node.lastRecord = recordCount
            node.recordCount += 1
        }
        for (name, value) in part.properties ?? [] {
            if let inner = property(name, of: node) { add(value, to: inner) }
        }
        for value in part.elements ?? [] {
            if node.elements == nil { node.elements = child("\(node.path)[]") }
            guard let inner = node.elements else { break }
            add(value, to: inner)
        }
    }

    private mutating func property(_ name: String, of node: Node) -> Node? {
        if let property = node.properties[name] { return property }
        guard let new = child(PropertyNotation.path(name, in: node.path)) else { return nil }
        node.properties[name] = new
        node.names.append(name)
        return new
    }

    /// A new node; nil beyond the limit.
    private mutating func child(_ path: String) -> Node? {
        guard nodeCount < StoreShapes.propertyLimit else {
            isTruncated = true
            return nil
        }
        nodeCount += 1
        return Node(path)
    }

    func shape(of type: String) -> StoreShapes.TypeShape {
        var properties: [StoreShapes.PropertyShape] = []
        var widest = root
        func visit(_ node: Node, isElement: Bool, in outer: Node) {
            let count = node.kinds.values.reduce(0, +)
            properties.append(
                StoreShapes.PropertyShape(
                    path: node.path,
                    kinds: node.kinds,
                    records: node.recordCount,
                    isSometimesNull: node.kinds[.null] != nil,
                    isSometimesMissing: !isElement && count < outer.kinds[.object, default: 0]
                )
            )
            visitChildren(of: node)
        }
        func visitChildren(of node: Node) {
            if node.names.count > widest.names.count { widest = node }
            for name in node.names { node.properties[name].map { visit($0, isElement: false, in: node) } }
            if let elements = node.elements { visit(elements, isElement: true, in: node) }
        }
        visitChildren(of: root)
        return StoreShapes.TypeShape(
            type: type,
            records: recordCount,
            kinds: root.kinds,
            properties: properties,
            isTruncated: isTruncated,
            widestObject: isTruncated ? widest.path : nil
        )
    }
}

/// The notation of property paths in the output of commands: `address.lines[]`.
enum PropertyNotation {
    /// The path of a property of the object at a path.
    static func path(_ name: String, in outer: String) -> String {
        let part = Shown.property(name)
        return outer.isEmpty && part.hasPrefix(".") ? String(part.dropFirst()) : outer + part
    }
}

extension StoreShapes.Kind {
    fileprivate init(_ kind: JSONPart.Kind) {
        self =
            switch kind {
            case .null: .null
            case .bool: .boolean
            case .number: .number
            case .string: .string
            case .array: .array
            case .object: .object
            }
    }
}
