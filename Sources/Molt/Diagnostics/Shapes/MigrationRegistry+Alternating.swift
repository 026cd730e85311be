extension MigrationRegistry {
    /// The declared steps whose `.each` takes the keys of a dictionary for elements, each in a sentence with advice.
    ///
    /// Swift writes a dictionary whose keys are neither strings nor integers as an array of alternating keys and values.
    /// The bytes do not tell such an array from any other, so a step changes it like any other. Where the type is at
    /// hand, its shape tells.
    ///
    /// - Parameters:
    ///   - type: The current name of a record's type; earlier names are found by the registry's renames.
    ///   - shape: The shape of the value that the record was decoded as.
    ///   - json: The record's content.
    package func stepsOnKeys(of type: String, _ shape: @autoclosure () -> TypeShape?, in json: [UInt8]) -> [String] {
        let steps = stepsOnElements(of: type)
        guard !steps.isEmpty, let record = try? Record(json: json), let shape = shape() else { return [] }
        return steps.compactMap { step in
            guard let keys = shape.keysAmongElements(of: step.path, in: record) else { return nil }
            let place = keys.count == 0 ? "the record" : "\"\(keys)\""
            return
                "migration \(step.migration), \(step.description): \(place) is a dictionary whose keys are neither strings "
                + "nor integers, so it is written as an array of alternating keys and values, and `.each` takes the keys for "
                + "elements. Change the values in a `transform`."
        }
    }

    /// Warns in debug builds, on standard error, of steps that have taken keys for elements.
    package func warnOfKeys(of type: String, _ shape: TypeShape, in json: [UInt8]) {
        #if DEBUG
            for step in stepsOnKeys(of: type, shape, in: json) { DebugWarning.print(step) }
        #endif
    }

    private struct ElementStep {
        var migration: String
        var description: String
        var type: String
        var path: PropertyPath
    }

    private func stepsOnElements(of type: String) -> [ElementStep] {
        var steps: [ElementStep] = []
        for migration in migrations {
            for (index, step) in migration.steps.enumerated() {
                switch step.action {
                case .edit(let edit):
                    guard let path = edit.property, path.hasEach else { continue }
                    let description = "step \(index + 1) (\(step))"
                    steps.append(
                        ElementStep(
                            migration: "\(migration.id)",
                            description: description,
                            type: edit.typeName,
                            path: path
                        )
                    )
                case .renameType(let name, let newName):
                    for index in steps.indices where RecordValue.Object.isSame(steps[index].type, name) {
                        steps[index].type = newName
                    }
                case .deleteType, .run:
                    continue
                }
            }
        }
        return steps.filter { RecordValue.Object.isSame($0.type, type) }
    }
}

extension TypeShape {
    /// The path of a dictionary that a record has as an array, and whose keys an `.each` of a path takes for elements.
    ///
    /// Keys without properties are skipped by a path that leads into the elements.
    fileprivate func keysAmongElements(of path: PropertyPath, in record: Record) -> PropertyPath? {
        var shape = self
        for (index, part) in path.parts.enumerated() {
            while case .single(let inner) = shape.form { shape = inner }
            switch (part, shape.form) {
            case (.name(let name), .object(let object)):
                guard let property = object.properties[name] else { return nil }
                shape = property
            case (.name(let name), .cases(let cases, _, _)):
                guard let values = cases[name] else { return nil }
                shape = values
            case (.each, .array(let element)):
                shape = element
            case (.each, .dictionary(let key, let value)):
                let outer = PropertyPath(parts: path.parts[..<index])
                let mayMatchKeys = index + 1 == path.count || !key.isScalar
                if mayMatchKeys, record.hasArray(at: outer) { return outer }
                shape = value
            default:
                return nil
            }
        }
        return nil
    }

    private var isScalar: Bool {
        switch form {
        case .leaf, .raw: true
        case .single(let inner): inner.isScalar
        default: false
        }
    }
}

extension Record {
    /// Whether there is an array at a path, or in one of the elements that it leads through.
    fileprivate func hasArray(at path: PropertyPath) -> Bool {
        guard path.hasEach else { return elements(at: path)?.kind == .array }
        return self[path]?.array?.contains { $0.array != nil } ?? false
    }
}
