extension TypeShape {
    /// The combined shape of two values of one type; names and code from the later one take precedence.
    package func merged(with other: TypeShape) -> TypeShape {
        // A shape that has seen only nil has no name.
        let name = other.form == .unknown && (form != .unknown || other.name.isEmpty) ? name : other.name
        return TypeShape(name, mergedForm(with: other), isOptional: isOptional || other.isOptional)
    }

    private func mergedForm(with other: TypeShape) -> Form {
        switch (form, other.form) {
        case (.unknown, let form), (let form, .unknown):
            form
        case (.leaf, .leaf):
            name == other.name ? .leaf : .varying
        case (.reference, .reference):
            .reference
        case (.object(let a), .object(let b)):
            .object(a.merged(with: b))
        case (.array(let a), .array(let b)):
            .array(a.merged(with: b))
        case (.dictionary(let aKey, let aValue), .dictionary(let bKey, let bValue)):
            .dictionary(key: aKey.merged(with: bKey), value: aValue.merged(with: bValue))
        case (.raw(let a, let aCases, _), .raw(let b, let bCases, let code)):
            .raw(a.merged(with: b), cases: aCases.map { Set($0).union(bCases ?? []).sorted() } ?? bCases, code)
        case (.cases(let a, let aIsComplete, _), .cases(let b, let bIsComplete, let code)):
            .cases(a.merging(b) { $0.merged(with: $1) }, isComplete: aIsComplete && bIsComplete, code)
        case (.single(let a), .single(let b)):
            a.mergedForm(with: b) == .varying ? .varying : .single(a.merged(with: b))
        default:
            .varying
        }
    }
}

extension ObjectShape {
    fileprivate func merged(with other: ObjectShape) -> ObjectShape {
        var both = other
        both.members = other.members ?? members
        both.properties = properties.merging(other.properties) { $0.merged(with: $1) }
        both.onlyRead = onlyRead.union(other.onlyRead).subtracting(written.union(other.written))
        both.lenient.formUnion(lenient)
        for (name, shape) in properties {
            // Optional in only one of the two values, so this depends on the value.
            guard let theirs = other.properties[name] else { continue }
            if shape.isOptional != theirs.isOptional { both.lenient.insert(name) }
        }
        return both
    }

    private var written: Set<String> { Set(properties.keys).subtracting(onlyRead) }
}
