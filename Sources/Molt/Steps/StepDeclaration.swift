/// A step as a value: its kind and its parameters.
///
/// A step's description, fingerprint, faults and work all come from its declaration. Only transforms, conversions and
/// blocks also need a closure.
package protocol StepDeclaration: Sendable, CustomStringConvertible {
    /// The kind and the parameters for the fingerprint, in a form that never changes.
    var identity: [String] { get }

    /// The data that the step removes.
    var losses: [MigrationReport.DataLoss] { get }

    /// How the step's effects depend on values.
    var valueUses: [ValueUse] { get }

    /// Adds the faults of the step, considering earlier steps.
    func check(_ check: inout StepCheck)
}

/// A step that changes the content of each record of a type, or of settings, and is fully described by its declaration.
protocol RecordStep: StepDeclaration {
    var place: StepPlace { get }
    var edit: RecordEdit { get }
}

/// A change of one record, or of the content of one setting.
struct RecordEdit: Sendable {
    /// The property without which it changes nothing; nil for a closure and for a step that adds a property.
    var property: PropertyPath?
    var newProperty: PropertyPath?
    /// The object without which it does not add it; the empty path for the whole content, nil for none.
    var outer: PropertyPath?
    /// The properties of which it needs any one, if there are several.
    var alternatives: [PropertyPath] = []
    /// Whether it leaves some values of the property as they are.
    var skipsSomeValues: Bool
    /// Whether it may drop a record by its declaration.
    var mayDrop = false
    var mayGiveKey = false
    /// Whether it is expensive enough to run on several cores.
    var isParallel = false
    /// Whether it runs a closure of the app, which may take any amount of time.
    var runsClosure = false
    /// The check that it is; nil for a change.
    var check: DecodeCheck.OfEdit?
    /// The kind of the loss if a property is missing after it.
    var kindOfLoss = MigrationReport.DataLoss.Kind.property
    /// Whether it has left a setting's value that it does not name; nil if it names none.
    var leavesForeignValue: (@Sendable (Record) -> Bool)?
    /// The form of the dates that it changes to another form.
    var dateForm: Record.DateForm?
    /// What must hold for what it changes.
    var conditions: [RecordCondition] = []
    /// The change where the conditions hold.
    var change: @Sendable (inout Record) throws -> Void

    var properties: [PropertyPath] { alternatives.isEmpty ? [property].compactMap(\.self) : alternatives }

    /// The path of what it changes; nil for a closure.
    var changedPath: PropertyPath? { property ?? newProperty }

    /// The properties of which a pass notes whether a record has had them, because the counts do not tell.
    var notedProperties: [PropertyPath] { conditions.isEmpty ? alternatives : namedProperties }

    /// All properties that records or settings should have.
    var namedProperties: [PropertyPath] {
        var paths: [PropertyPath] = []
        for path in properties + [outer].compactMap(\.self) + conditions.map(\.path)
        where path.count > 0 && !paths.contains(path) {
            paths.append(path)
        }
        return paths
    }

    /// Changes a record where the conditions hold.
    var apply: @Sendable (inout Record) throws -> Void {
        guard !conditions.isEmpty else { return change }
        let (change, conditions) = (change, conditions.filter { !$0.path.hasEach })
        let elementConditions = self.conditions.filter(\.path.hasEach)
        return { record in
            guard conditions.allSatisfy({ $0.holds(for: record) }) else { return }
            record.elementConditions = elementConditions.isEmpty ? nil : elementConditions
            defer { record.elementConditions = nil }
            try change(&record)
        }
    }

    /// Whether a record fulfils the conditions that are not about elements.
    func mayChange(_ record: Record) -> Bool {
        conditions.allSatisfy { $0.path.hasEach || $0.holds(for: record) }
    }

    /// Why a setting stays as it is, if there is a reason; without anything of its value.
    func reasonToKeep(_ content: Record) -> String? {
        if !mayChange(content) { return "the step's condition does not hold" }
        return leavesForeignValue?(content) == true ? "the step does not name its value" : nil
    }
}

/// What a copy of a store without private values must keep, so that a step has the same effects on it.
package enum ValueUse: Sendable {
    /// The step looks for these values at a property, or sets them; as JSON.
    case literals([String], at: PropertyPlace)
    /// It makes values keys of records, or of a dictionary.
    case keys(at: PropertyPlace)
    /// It moves or copies all that is at one place to another.
    case moves(PropertyPlace, to: PropertyPlace)
    /// It changes the form of records' keys, so that some may become equal.
    case foldsKeys(Record.NewKey)
    /// Strings there have JSON text, whose values are parts of the record.
    case jsonText(at: PropertyPlace)
    /// It splits strings at a text.
    case splits(at: String)
}

/// A property of records or settings; all of their content if there are no names.
package struct PropertyPlace: Hashable, Sendable {
    package var place: StepPlace
    /// The names on the path, the outermost first; nil for each element.
    package var names: [ExactName?]

    package init(_ place: StepPlace, _ path: PropertyPath = []) {
        self.place = place
        names = path.parts.map { if case .name(let name) = $0 { name } else { nil } }
    }

    /// Whether it is another place, or inside that place's value.
    package func isWithin(_ other: PropertyPlace) -> Bool {
        place == other.place && names.starts(with: other.names)
    }
}
