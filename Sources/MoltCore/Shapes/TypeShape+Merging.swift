extension TypeShape {
    /// The combined shape of two values of one type; names from the later one take precedence.
    package func merged(with other: TypeShape) -> TypeShape {
        // A shape that has seen only nil has no name.
        let name = other.form == .unknown && (form != .unknown || other.name.isEmpty) ? name : other.name
        return TypeShape(name, Form.merged(self, other), isOptional: isOptional || other.isOptional)
    }
}

extension TypeShape.Form {
    fileprivate static func merged(_ one: TypeShape, _ other: TypeShape) -> TypeShape.Form {
        switch (one.form, other.form) {
        case (.unknown, let form), (let form, .unknown):
            form
        case (.leaf, .leaf):
            one.name == other.name ? .leaf : .varying
        case (.reference, .reference):
            .reference
        case (.object(let a), .object(let b)):
            .object(a.merged(with: b))
        case (.array(let a), .array(let b)):
            .array(a.merged(with: b))
        case (.dictionary(let aKey, let aValue), .dictionary(let bKey, let bValue)):
            .dictionary(key: aKey.merged(with: bKey), value: aValue.merged(with: bValue))
        case (.raw(let a, let aCases, let aSource), .raw(let b, let bCases, let bSource)):
            .raw(a.merged(with: b), cases: union(aCases, bCases), bSource.isKnown ? bSource : aSource)
        case (.cases(let a, let aIsComplete, let aSource), .cases(let b, let bIsComplete, let bSource)):
            .cases(
                a.merging(b) { $0.merged(with: $1) },
                isComplete: aIsComplete && bIsComplete,
                bSource.isKnown ? bSource : aSource
            )
        case (.single(let a), .single(let b)):
            merged(a, b) == .varying ? .varying : .single(a.merged(with: b))
        default:
            .varying
        }
    }

    private static func union(_ one: [String]?, _ other: [String]?) -> [String]? {
        guard let one, let other else { return one ?? other }
        return Set(one).union(other).sorted()
    }
}

extension ObjectShape {
    fileprivate func merged(with other: ObjectShape) -> ObjectShape {
        var both = ObjectShape()
        both.members = other.members ?? members
        both.keyTypes = other.keyTypes.isEmpty ? keyTypes : other.keyTypes
        both.properties = properties.merging(other.properties) { $0.merged(with: $1) }
        for (name, shape) in properties {
            // Optional in only one of the two values, so this depends on the value.
            guard let theirs = other.properties[name] else { continue }
            if shape.isOptional != theirs.isOptional { both.lenient.insert(name) }
        }
        both.lenient.formUnion(lenient.union(other.lenient))
        both.onlyRead = onlyRead.union(other.onlyRead).filter {
            isOnlyReadOrMissing($0) && other.isOnlyReadOrMissing($0)
        }
        return both
    }

    private func isOnlyReadOrMissing(_ name: String) -> Bool {
        properties[name] == nil || onlyRead.contains(name)
    }
}
