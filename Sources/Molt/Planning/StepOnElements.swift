extension MigrationRegistry {
    /// The declared steps that lead through the elements of a type's arrays, and whose results its current values have.
    ///
    /// A step is left out if a later one may give its property another form: at that step, the property need not have
    /// been a dictionary, although it is one today.
    ///
    /// - Parameters:
    ///   - type: The current name of the type; earlier names are found by the registry's renames.
    ///   - newest: The newest version, which may not have shipped yet. Steps of older versions are left out, because a
    ///     shipped step cannot be edited.
    package func stepsOnElements(of type: String, newest: Int) -> [StepOnElements] {
        var steps: [StepOnElements] = []
        for migration in migrations where migration.version >= newest {
            for (index, step) in migration.steps.enumerated() {
                switch step.work {
                case .records(.edit(let edit, let type)):
                    let paths = edit.properties
                    steps.removeAll { earlier in
                        earlier.changes(type) && (edit.runsClosure || earlier.mayBeReshaped(at: paths))
                    }
                    guard let path = edit.property, path.hasEach else { continue }
                    let name = "migration \(migration.id), step \(index + 1) (\(step))"
                    steps.append(StepOnElements(name: name, type: type, path: path))
                case .records(.renameType(let name, let newName)):
                    for index in steps.indices where steps[index].changes(name) { steps[index].type = newName }
                case .records(.deleteType(let name, _)), .records(.handOver(let name, _)):
                    steps.removeAll { $0.changes(name) }
                case .store(let work):
                    guard case .extraction(let extraction) = work.alone else { continue }
                    steps.removeAll { $0.changes(extraction.type) && $0.mayBeReshaped(at: [extraction.path]) }
                case .block:
                    // A block may change any record.
                    steps = []
                case .settings, .bring, .check:
                    break
                }
            }
        }
        return steps.filter { $0.changes(type) }
    }
}

/// A declared step with `.each` in its path.
package struct StepOnElements: Sendable {
    /// The migration, and the step with its number and description.
    fileprivate var name: String
    /// The type's name after the later steps.
    fileprivate var type: String
    fileprivate var path: PropertyPath

    fileprivate func changes(_ type: String) -> Bool {
        ExactName.isSame(self.type, type)
    }

    /// Whether a later step on properties of the type may change the form of a value on this step's path.
    ///
    /// A step through the same elements changes each of them, but not the array or dictionary that they are in.
    fileprivate func mayBeReshaped(at paths: [PropertyPath]) -> Bool {
        paths.contains { other in
            (path.starts(with: other) || other.starts(with: path)) && !other.hasSameElements(as: path)
        }
    }
}

extension [StepOnElements] {
    /// The steps whose `.each` takes the keys of a dictionary for elements, each in a sentence with advice.
    ///
    /// Swift writes a dictionary whose keys are neither strings nor integers nor `CodingKeyRepresentable` as an array
    /// of alternating keys and values. The bytes do not tell such an array from any other, so a step changes it like
    /// any other. Where the type is at hand, its shape tells.
    ///
    /// - Parameters:
    ///   - shape: The shape of the value that the record was decoded as.
    ///   - json: The record's content.
    package func warningsAboutDictionaryKeys(_ shape: TypeShape, in json: [UInt8]) -> [String] {
        guard !isEmpty, let record = try? Record(json: json) else { return [] }
        return compactMap { step in
            guard let keys = shape.keysAmongElements(of: step.path, in: record) else { return nil }
            let subject = keys.count == 0 ? "the record" : "\"\(keys)\""
            return
                "\(step.name): \(subject) is a dictionary whose keys are neither strings nor integers, so it is written "
                + "as an array of alternating keys and values, and `.each` takes the keys for elements. Use "
                + "`mapValue(in: .values)`, or make it an object with `changeDictionary` first."
        }
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
                guard let property = object.properties[name.text] else { return nil }
                shape = property
            case (.name(let name), .cases(let cases, _, _)):
                guard let values = cases[name.text] else { return nil }
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
