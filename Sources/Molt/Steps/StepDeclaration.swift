/// A step as a value: its kind and its parameters.
///
/// A step's description, fingerprint, faults and work all come from its declaration. Only transforms, conversions and
/// blocks also need a closure.
package protocol StepDeclaration: Sendable, CustomStringConvertible {
    /// The kind and the parameters for the fingerprint, in a form that never changes.
    var identity: [String] { get }

    /// The data that the step removes.
    var losses: [MigrationReport.DataLoss] { get }

    /// The values that the step looks for or sets at ``literalProperty``, as JSON.
    var literals: [String] { get }

    /// The property with the literals; for a step that changes each record, its required property.
    var literalProperty: PropertyPlace? { get }

    /// The property whose values become keys of records; nil if there is none.
    var keyProperty: PropertyPlace? { get }

    /// Where values are before the step and after it; nil if they stay where they are.
    var relocation: (old: PropertyPlace, new: PropertyPlace)? { get }

    /// The texts at which the step splits strings.
    var separators: [String] { get }

    /// Adds the faults of the step, considering earlier steps.
    func check(_ check: inout StepCheck)
}

extension StepDeclaration {
    package var losses: [MigrationReport.DataLoss] { [] }
    package var literals: [String] { [] }
    package var literalProperty: PropertyPlace? { nil }
    package var keyProperty: PropertyPlace? { nil }
    package var relocation: (old: PropertyPlace, new: PropertyPlace)? { nil }
    package var separators: [String] { [] }
}

/// A step that changes each record of a type and is fully described by its declaration.
package protocol RecordStep: StepDeclaration {
    var type: String { get }
    /// The property without which it changes nothing; nil for a step that adds one.
    var requiredProperty: PropertyPath? { get }
    /// The properties of which it needs any one, if there are several; none by default.
    var alternatives: [PropertyPath] { get }
    /// Whether it leaves some values of the property as they are.
    var mayKeepValue: Bool { get }
    var change: StepChange { get }
}

extension RecordStep {
    package var alternatives: [PropertyPath] { [] }
    package var mayKeepValue: Bool { false }
    package var literalProperty: PropertyPlace? { requiredProperty.map { PropertyPlace(type, $0) } }
}

package typealias StepChange = @Sendable (inout Record) throws -> Void

/// A step that processes one record at a time.
struct RecordEdit: Sendable {
    var typeName: String
    /// The property without which it changes nothing; nil for a closure and for a step that adds a property.
    var property: PropertyPath?
    /// The properties of which it needs any one, if there are several.
    var alternatives: [PropertyPath] = []
    /// Whether it leaves some values of the property as they are.
    var mayKeepValue = false
    /// Whether it is expensive enough to run on several cores.
    var isParallel = false
    /// Whether it runs a closure of the app, which may take any amount of time.
    var runsClosure = false
    var apply: @Sendable (inout Record) throws -> Void
}
