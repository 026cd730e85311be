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
    package func differences(from old: TypeShape) -> [SchemaDrift.Difference] {
        var comparison = ShapeComparison(type: name)
        comparison.compare(old, self, at: "")
        return comparison.differences.sorted { ($0.property, $0.kind.rawValue) < ($1.property, $1.kind.rawValue) }
    }
}

extension TypeShape {
    /// Whether only a hand-written nil was seen, so that other values are unknown.
    fileprivate var isBareNil: Bool { form == .unknown && name.isEmpty }
}

/// The comparison of two shapes of one type.
private struct ShapeComparison {
    let type: String
    private(set) var differences: [SchemaDrift.Difference] = []

    init(type: String) {
        self.type = type
    }

    mutating func compare(_ old: TypeShape, _ new: TypeShape, at path: String, isLenient: Bool = false) {
        let count = differences.count
        let isOther = compareForms(old, new, at: path)
        guard !isOther else {
            differences.removeSubrange(count...)
            return add(.typeChanged, path, from: old.text, to: new.text)
        }
        guard old.isOptional != new.isOptional, !isLenient, !old.isBareNil, !new.isBareNil else { return }
        add(new.isOptional ? .madeOptional : .madeRequired, path)
    }

    /// Compares the stored forms of two types; returns whether they differ as a whole.
    private mutating func compareForms(_ old: TypeShape, _ new: TypeShape, at path: String) -> Bool {
        switch (old.form, new.form) {
        case (.unknown, _), (_, .unknown), (.varying, _), (_, .varying), (.reference, .reference):
            return false
        case (.leaf, .leaf):
            return old.name != new.name
        case (.single(let a), .single(let b)):
            // If the form depends on the value, another value proves nothing.
            guard old.name != new.name || a.name == b.name else { return false }
            return compareForms(a, b, at: path)
        case (.single, _) where old.name == new.name, (_, .single) where old.name == new.name:
            return false
        case (.single(let a), _):
            return compareForms(a, new, at: path)
        case (_, .single(let b)):
            return compareForms(old, b, at: path)
        case (.raw(let a, let aCases, _), .raw(let b, let bCases, let source)):
            if compareForms(a, b, at: path) { return true }
            if let aCases, let bCases { removals(of: Set(aCases).subtracting(bCases), source, at: path) }
            return false
        case (.raw(let a, _, _), _):
            return compareForms(a, new, at: path)
        case (_, .raw(let b, _, _)):
            return compareForms(old, b, at: path)
        case (.reference, _), (_, .reference):
            return old.name != new.name
        case (.array(let a), .array(let b)):
            return compareParts(a, b, at: path)
        case (.dictionary(let aKey, let aValue), .dictionary(let bKey, let bValue)):
            let isOther = compareForms(aKey, bKey, at: path)
            return compareParts(aValue, bValue, at: path) || isOther
        case (.object(let a), .object(let b)):
            return compareNamed(old, new, at: path) { $0.compareObjects(a, b, at: path) }
        case (.object, .array) where old.name == new.name && !old.name.isEmpty,
            (.array, .object) where old.name == new.name && !old.name.isEmpty:
            // The form of this type depends on the value.
            return false
        case (.cases(let a, _, _), .cases(let b, let isComplete, let source)):
            return compareNamed(old, new, at: path) { comparison in
                if isComplete { comparison.removals(of: Set(a.keys).subtracting(b.keys), source, at: path) }
                comparison.compareCases(a, b, at: path)
            }
        default:
            return true
        }
    }

    /// Compares elements; an element of another type makes the list one of another type.
    private mutating func compareParts(_ old: TypeShape, _ new: TypeShape, at path: String) -> Bool {
        let count = differences.count
        compare(old, new, at: path + "[]")
        let isOther = differences[count...].contains { $0.kind == .typeChanged && $0.property == path + "[]" }
        if isOther { differences.removeSubrange(count...) }
        return isOther
    }

    /// Compares the parts of two types; if the names differ too, the type is another one.
    ///
    /// The outermost type counts as the same under any name.
    private mutating func compareNamed(
        _ old: TypeShape,
        _ new: TypeShape,
        at path: String,
        _ body: (inout ShapeComparison) -> Void
    ) -> Bool {
        let count = differences.count
        body(&self)
        return differences.count > count && old.name != new.name && !path.isEmpty
    }

    private mutating func compareObjects(_ old: ObjectShape, _ new: ObjectShape, at path: String) {
        let haveSameMembers = old.members != nil && old.members == new.members
        for (name, shape) in old.properties {
            let place = path.isEmpty ? name : "\(path).\(name)"
            if let current = new.properties[name] {
                // A type may read a property as another type than it writes.
                guard old.onlyRead.contains(name) == new.onlyRead.contains(name) else { continue }
                let isLenient = old.lenient.contains(name) || new.lenient.contains(name)
                compare(shape, current, at: place, isLenient: isLenient)
            } else if !new.knows(name), !(haveSameMembers && old.onlyRead.contains(name)) {
                add(.removed, place)
            }
        }
        let removed = old.properties.keys.contains { new.properties[$0] == nil && !new.knows($0) }
        for name in new.properties.keys where old.properties[name] == nil {
            // The same code wrote both values, and only this one has the property.
            if haveSameMembers, !removed || new.onlyRead.contains(name) { continue }
            add(.added, path.isEmpty ? name : "\(path).\(name)")
        }
    }

    private mutating func compareCases(_ old: [String: TypeShape], _ new: [String: TypeShape], at path: String) {
        for (name, shape) in old {
            guard let current = new[name] else { continue }
            compare(shape, current, at: path.isEmpty ? name : "\(path).\(name)")
        }
    }

    private mutating func removals(of cases: Set<String>, _ source: CaseSource, at path: String) {
        for name in cases.sorted() where !source.knows(name) { add(.caseRemoved, path, from: name) }
    }

    private mutating func add(
        _ kind: SchemaDrift.Difference.Kind,
        _ path: String,
        from old: String? = nil,
        to new: String? = nil
    ) {
        differences.append(SchemaDrift.Difference(kind: kind, type: type, property: path, old: old, new: new))
    }
}
