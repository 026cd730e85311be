/// A step as a value: its kind and its parameters.
///
/// A step's description, fingerprint, faults and work all come from its declaration. Only transforms, conversions and
/// blocks also need a closure.
package protocol StepDeclaration: Sendable, CustomStringConvertible {
    /// The kind and the parameters for the fingerprint, in a form that never changes.
    var identity: [String] { get }

    /// The data that the step removes.
    var losses: [DataLoss] { get }

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
    package var losses: [DataLoss] { [] }
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

// MARK: Places

/// A property of the records of a type; all of their content if the path is empty.
package struct PropertyPlace: Equatable, Sendable {
    package let type: String
    fileprivate let path: PropertyPath

    fileprivate init(_ type: String, _ path: PropertyPath = []) {
        self.type = type
        self.path = path
    }

    /// The names on the path, the outermost first; nil for each element.
    package var names: [String?] {
        path.parts.map { part -> String? in if case .name(let name) = part { name } else { nil } }
    }

    /// The place of the values when all that is at one place is moved to another; nil if it is not there.
    package func moved(from old: PropertyPlace, to new: PropertyPlace) -> PropertyPlace? {
        guard RecordValue.Object.isSame(type, old.type), path.starts(with: old.path) else { return nil }
        return PropertyPlace(new.type, new.path + PropertyPath(parts: path.parts.dropFirst(old.path.count)))
    }

    package static func == (place: PropertyPlace, other: PropertyPlace) -> Bool {
        RecordValue.Object.isSame(place.type, other.type) && place.path == other.path
    }
}

extension RenameTypeStep {
    var relocation: (old: PropertyPlace, new: PropertyPlace)? { (PropertyPlace(name), PropertyPlace(newName)) }
}

extension ExtractRecordsStep {
    var keyProperty: PropertyPlace? {
        if case .property(let name) = key { PropertyPlace(type, path + name) } else { nil }
    }
    var relocation: (old: PropertyPlace, new: PropertyPlace)? { (PropertyPlace(type, path), PropertyPlace(newType)) }
}

extension RenamePropertyStep {
    var relocation: (old: PropertyPlace, new: PropertyPlace)? {
        let newPath = PropertyPath(parts: path.parts.dropLast() + [.name(newName)])
        return (PropertyPlace(type, path), PropertyPlace(type, newPath))
    }
}

extension MovePropertyStep {
    var relocation: (old: PropertyPlace, new: PropertyPlace)? {
        (PropertyPlace(type, path), PropertyPlace(type, newPath))
    }
}

extension CopyPropertyStep {
    var relocation: (old: PropertyPlace, new: PropertyPlace)? {
        (PropertyPlace(type, path), PropertyPlace(type, newPath))
    }
}
