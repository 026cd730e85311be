package import Molt

/// The differences between the shapes of the records of two stores.
package struct ShapeDifferences: Equatable, Sendable, Encodable {
    package let before: String
    package let after: String
    package private(set) var differences: [ShapeDifference] = []
    /// The types that have too many properties, of which only those found in both stores were compared.
    package private(set) var truncatedTypes: [String] = []

    package init(from before: StoreShapes, to after: StoreShapes) {
        self.before = before.file
        self.after = after.file
        let earlier = Dictionary(before.types.map { ($0.type, $0) }) { $1 }
        let later = Dictionary(after.types.map { ($0.type, $0) }) { $1 }
        for type in Set(earlier.keys).union(later.keys).sorted() {
            switch (earlier[type], later[type]) {
            case (let old?, let new?): compare(old, new)
            case (_?, nil): add(.removed, type, "")
            default: add(.added, type, "")
            }
        }
    }

    private mutating func compare(_ old: StoreShapes.TypeShape, _ new: StoreShapes.TypeShape) {
        let type = old.type
        let isTruncated = old.isTruncated || new.isTruncated
        if isTruncated { truncatedTypes.append(type) }
        // The content of a value of another kind is another one, too.
        guard !compareKinds(old.kinds, new.kinds, of: type, at: "") else { return }
        let earlier = Dictionary(old.properties.map { ($0.path, $0) }) { $1 }
        let later = Dictionary(new.properties.map { ($0.path, $0) }) { $1 }
        var changed: [String] = []
        for property in old.properties {
            guard let other = later[property.path] else { continue }
            if compare(property, other, of: type) { changed.append(property.path) }
        }
        guard !isTruncated else { return }
        func add(_ kind: ShapeDifference.Kind, _ properties: [StoreShapes.PropertyShape]) {
            let paths = properties.map(\.path).filter { path in !changed.contains { Self.isInside(path, $0) } }
            for path in Self.outermost(paths) { self.add(kind, type, path) }
        }
        add(.removed, old.properties.filter { later[$0.path] == nil })
        add(.added, new.properties.filter { earlier[$0.path] == nil })
    }

    /// Returns whether the kinds differ.
    private mutating func compare(
        _ old: StoreShapes.PropertyShape,
        _ new: StoreShapes.PropertyShape,
        of type: String
    ) -> Bool {
        if compareKinds(old.kinds, new.kinds, of: type, at: old.path) { return true }
        switch (old.isOptional, new.isOptional) {
        case (false, true): add(.madeOptional, type, old.path)
        case (true, false): add(.madeRequired, type, old.path)
        default: break
        }
        return false
    }

    /// Compares the kinds other than null, which alone says nothing about the type; returns whether they differ.
    private mutating func compareKinds(
        _ old: [StoreShapes.Kind: Int],
        _ new: [StoreShapes.Kind: Int],
        of type: String,
        at path: String
    ) -> Bool {
        let kinds = [old, new].map { $0.filter { $0.key != .null } }
        guard kinds.allSatisfy({ !$0.isEmpty }), Set(kinds[0].keys) != Set(kinds[1].keys) else { return false }
        differences.append(
            ShapeDifference(kind: .typeChanged, type: type, property: path, old: old.text, new: new.text)
        )
        return true
    }

    private mutating func add(_ kind: ShapeDifference.Kind, _ type: String, _ path: String) {
        differences.append(ShapeDifference(kind: kind, type: type, property: path))
    }

    /// The paths that are not inside another of them; each is after those that contain it.
    private static func outermost(_ paths: [String]) -> [String] {
        var kept: [String] = []
        for path in paths {
            if let last = kept.last, isInside(path, last) { continue }
            kept.append(path)
        }
        return kept
    }

    private static func isInside(_ path: String, _ outer: String) -> Bool {
        path.hasPrefix(outer + ".") || path.hasPrefix(outer + "[")
    }
}

extension StoreShapes.PropertyShape {
    fileprivate var isOptional: Bool { isSometimesNull || isSometimesMissing }
}
