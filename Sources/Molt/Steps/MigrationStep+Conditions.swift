/// Conditions of steps.
extension MigrationStep {
    /// Restricts the step to records, settings or elements in which a property equals a value.
    ///
    /// ```swift
    /// .mapValue("Item", "title", ["": "Untitled"]).where("kind", equals: "item")
    /// .renameProperty("List", ["items", .each, "name"], to: "title").where(["items", .each, "kind"], equals: "item")
    /// ```
    ///
    /// The step does nothing where the condition does not hold, and nothing fails there: neither with
    /// `ifMissing: .fail` nor because of a value of another kind. Several conditions must all hold. They are checked
    /// before the step changes anything.
    ///
    /// A path without ``PropertyPath/each`` is about the whole record, or the whole content of a setting; the empty one
    /// is that content. A condition whose path leads through ``PropertyPath/each`` is checked for each element: the
    /// step's path must lead through the same elements.
    ///
    /// Values are equal if their JSON is: the order of properties and white space make no difference, but the text of
    /// numbers does, so that 1 does not equal `1.0`. In settings, an integer also equals a whole `Double` of a property
    /// list. A missing property equals nothing, not even null.
    ///
    /// The condition is part of the migration's fingerprint. The registry is invalid if the step does not change single
    /// records or the content of settings, such as a rename of a type: a condition is for steps on properties,
    /// `transform` and `convert`.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - value: The value.
    public func `where`(_ path: PropertyPath, equals value: RecordValue) -> MigrationStep {
        restricted(to: RecordCondition(path, equals: value, inSettings: settings != nil))
    }

    /// Restricts the step to records, settings or elements in which a property exists, or does not.
    ///
    /// ```swift
    /// .renameProperty("Item", "a", to: "b").where("legacy", exists: true)
    /// ```
    ///
    /// A property counts as missing if its value is null. For all else, see ``where(_:equals:)``.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - exists: Whether it must have a value other than null, or none.
    public func `where`(_ path: PropertyPath, exists: Bool) -> MigrationStep {
        restricted(to: RecordCondition(path, exists: exists))
    }

    /// Restricts the step to records, settings or elements in which a property has a value of a kind.
    ///
    /// ```swift
    /// .removeProperty("Item", "value").where("value", is: .string)
    /// ```
    ///
    /// A missing property is of no kind. For all else, see ``where(_:equals:)``.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - kind: The kind.
    public func `where`(_ path: PropertyPath, is kind: RecordValue.Kind) -> MigrationStep {
        restricted(to: RecordCondition(path, is: kind))
    }
}

/// The declaration of a step with conditions.
struct ConditionalStep: StepDeclaration {
    var step: any StepDeclaration
    var work: StepWork
    var conditions: [RecordCondition]

    var description: String {
        let place = work.editedPlace
        let conditions = conditions.map { "\(place?.name(of: $0.path) ?? "\($0.path)") \($0.predicate)" }
        return "\(step), where \(conditions.joined(separator: " and "))"
    }
    var identity: [String] { step.identity + conditions.flatMap(\.identity) }
    var losses: [MigrationReport.DataLoss] { step.losses }
    var valueUses: [ValueUse] {
        guard let place = work.editedPlace else { return step.valueUses }
        return step.valueUses
            + conditions.compactMap { condition in
                condition.literal.map { .literals([$0], at: PropertyPlace(place, condition.path)) }
            }
    }

    func check(_ check: inout StepCheck) {
        if let replacement = work.replacementForCondition {
            step.check(&check)
            return check.add(
                "The step has a condition, but does not change single records or the content of settings (\(step)). "
                    + replacement
            )
        }
        for condition in conditions {
            if let place = work.editedPlace { check.checkPresent(place, condition.path) }
            if let fault = condition.fault { check.add(fault) }
            if let fault = elementFault(of: condition.path) { check.add(fault) }
        }
        check.checkChangeOfSome { step.check(&$0) }
    }

    /// Why a condition cannot be asked for elements, in a sentence.
    private func elementFault(of path: PropertyPath) -> String? {
        guard path.hasEach else { return nil }
        guard let changed = work.edit?.changedPath else {
            return "The condition on \(path) is about elements, but the step's closure gets the whole content. Check "
                + "the elements in the closure."
        }
        guard !changed.leadsThroughElements(of: path) else { return nil }
        return "The condition on \(path) is about elements, but the step's path \(changed) does not lead through the "
            + "same `.each`."
    }
}
