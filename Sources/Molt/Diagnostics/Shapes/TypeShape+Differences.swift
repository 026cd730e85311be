extension TypeShape {
    /// The differences between this shape and an earlier one of the same type, sorted by property.
    ///
    /// Only certain differences count. These do not:
    /// - the order of properties, and another name for a type that is stored in the same form;
    /// - anything that is unknown in one of the shapes;
    /// - a property that only some values have, as with a hand-written `encode(to:)`: the code still has a key for a
    ///   missing property, or the stored properties are unchanged if this value has more;
    /// - a case that was added to an enum, because all stored values can still be read;
    /// - a type that is an object in one value and a list in another;
    /// - a property that was only read before and is written now, or the reverse.
    package func differences(from old: TypeShape) -> [ShapeDifference] {
        ShapeComparison(type: name).differences(old, self, at: "")
            .ordered { ($0.property, $0.kind.rawValue) < ($1.property, $1.kind.rawValue) }
    }

    /// Whether only a hand-written nil was seen, so that other values are unknown.
    fileprivate var isBareNil: Bool { form == .unknown && name.isEmpty }
}

private struct ShapeComparison {
    let type: String

    func differences(_ old: TypeShape, _ new: TypeShape, at path: String, isLenient: Bool = false) -> [ShapeDifference]
    {
        guard let found = inForms(old, new, at: path) else {
            return [difference(.typeChanged, path, from: old.text, to: new.text)]
        }
        guard old.isOptional != new.isOptional, !isLenient, !old.isBareNil, !new.isBareNil else { return found }
        return found + [difference(new.isOptional ? .madeOptional : .madeRequired, path)]
    }

    /// The differences between the stored forms of two types; nil if they differ as a whole.
    private func inForms(_ old: TypeShape, _ new: TypeShape, at path: String) -> [ShapeDifference]? {
        let haveSameName = old.name == new.name
        switch (old.form, new.form) {
        case (.unknown, _), (_, .unknown), (.varying, _), (_, .varying), (.reference, .reference):
            return []
        case (.leaf, .leaf):
            return haveSameName ? [] : nil
        case (.single(let a), .single(let b)):
            // If the form depends on the value, another value proves nothing.
            return haveSameName && a.name != b.name ? [] : inForms(a, b, at: path)
        case (.single, _) where haveSameName, (_, .single) where haveSameName:
            return []
        case (.single(let a), _):
            return inForms(a, new, at: path)
        case (_, .single(let b)):
            return inForms(old, b, at: path)
        case (.raw(let a, let aCases, _), .raw(let b, let bCases, let code)):
            let removed = removals(from: aCases, to: bCases, code, at: path)
            return inForms(a, b, at: path).map { $0 + removed }
        case (.raw(let a, _, _), _):
            return inForms(a, new, at: path)
        case (_, .raw(let b, _, _)):
            return inForms(old, b, at: path)
        case (.reference, _), (_, .reference):
            return haveSameName ? [] : nil
        case (.array(let a), .array(let b)):
            return inElements(a, b, at: path)
        case (.dictionary(let aKey, let aValue), .dictionary(let bKey, let bValue)):
            guard let keys = inForms(aKey, bKey, at: path) else { return nil }
            return inElements(aValue, bValue, at: path).map { keys + $0 }
        case (.object(let a), .object(let b)):
            return sameType(old, new, at: path, inObjects(a, b, at: path))
        case (.object, .array) where haveSameName && !old.name.isEmpty,
            (.array, .object) where haveSameName && !old.name.isEmpty:
            // The form of this type depends on the value.
            return []
        case (.cases(let a, _, _), .cases(let b, let isComplete, let code)):
            var found = removals(from: Array(a.keys), to: isComplete ? Array(b.keys) : nil, code, at: path)
            for (name, shape) in a {
                if let current = b[name] { found += differences(shape, current, at: full(name, in: path)) }
            }
            return sameType(old, new, at: path, found)
        default:
            return nil
        }
    }

    /// The differences between elements; an element of another type makes the list one of another type.
    private func inElements(_ old: TypeShape, _ new: TypeShape, at path: String) -> [ShapeDifference]? {
        let found = differences(old, new, at: path + "[]")
        return found.contains { $0.kind == .typeChanged && $0.property == path + "[]" } ? nil : found
    }

    /// The differences between parts; nil if the names of the two types differ, too, so that the type is another one.
    ///
    /// The outermost type counts as the same under any name.
    private func sameType(
        _ old: TypeShape,
        _ new: TypeShape,
        at path: String,
        _ found: [ShapeDifference]
    ) -> [ShapeDifference]? {
        found.isEmpty || old.name == new.name || path.isEmpty ? found : nil
    }

    private func inObjects(_ old: ObjectShape, _ new: ObjectShape, at path: String) -> [ShapeDifference] {
        let haveSameMembers = old.members != nil && old.members == new.members
        let missing = old.properties.keys.filter { new.properties[$0] == nil && !new.code.knows($0) }
        var found = missing.filter { !haveSameMembers || !old.onlyRead.contains($0) }
            .map { difference(.removed, full($0, in: path)) }
        for (name, shape) in new.properties {
            if let earlier = old.properties[name] {
                // A type may read a property as another type than it writes.
                guard old.onlyRead.contains(name) == new.onlyRead.contains(name) else { continue }
                let isLenient = old.lenient.contains(name) || new.lenient.contains(name)
                found += differences(earlier, shape, at: full(name, in: path), isLenient: isLenient)
            } else if !haveSameMembers || !missing.isEmpty && !new.onlyRead.contains(name) {
                // Otherwise the same code wrote both values, and only this one has the property.
                found.append(difference(.added, full(name, in: path)))
            }
        }
        return found
    }

    /// The cases that are missing, if all are known, and that the code has no more.
    private func removals(
        from old: [String]?,
        to new: [String]?,
        _ code: CodeNames,
        at path: String
    ) -> [ShapeDifference] {
        guard let old, let new else { return [] }
        return old.sorted().filter { !new.contains($0) && !code.knows($0) }
            .map { difference(.caseRemoved, path, from: $0) }
    }

    private func full(_ name: String, in path: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    private func difference(
        _ kind: ShapeDifference.Kind,
        _ path: String,
        from old: String? = nil,
        to new: String? = nil
    ) -> ShapeDifference {
        ShapeDifference(kind: kind, type: type, property: path, old: old, new: new)
    }
}
