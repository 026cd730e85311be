/// A step as a value: its kind and its parameters.
///
/// A step's description, fingerprint, faults and work all come from its declaration. Only transforms, conversions and
/// blocks also need a closure.
package protocol StepDeclaration: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The name of the kind in coded declarations.
    static var kind: String { get }

    /// The kind and the parameters for the fingerprint, in a form that never changes.
    var identity: [String] { get }

    /// The data that the step removes.
    var losses: [DataLoss] { get }

    /// Adds the faults of the step, considering earlier steps.
    func check(_ check: inout StepCheck)
}

extension StepDeclaration {
    package var losses: [DataLoss] { [] }
}

/// A step that changes each record of a type and is fully described by its declaration.
package protocol RecordStep: StepDeclaration {
    var type: String { get }
    /// The property without which it changes nothing; nil for a step that adds one.
    var requiredProperty: PropertyPath? { get }
    /// Whether it leaves some values of the property as they are.
    var mayKeepValue: Bool { get }
    var change: StepChange { get }
}

extension RecordStep {
    package var mayKeepValue: Bool { false }
}

package typealias StepChange = @Sendable (inout Record) throws -> Void

/// A declaration of any kind, coded as an object with the kind's name and the parameters.
package struct CodedStep: Codable, Hashable, Sendable {
    package let declaration: any StepDeclaration

    private static let kinds: [String: any StepDeclaration.Type] = {
        let kinds: [any StepDeclaration.Type] = [
            RenameTypeStep.self, DeleteTypeStep.self, RenamePropertyStep.self, MovePropertyStep.self,
            RemovePropertyStep.self, AddPropertyStep.self, CopyPropertyStep.self, SplitPropertyStep.self,
            JoinPropertiesStep.self, MapValueStep.self, ChangeValueStep.self, WrapPropertyStep.self,
            UnwrapPropertyStep.self, ExtractRecordsStep.self, TransformStep.self, ConvertStep.self, RunStep.self,
            BuiltInStep.self,
        ]
        return Dictionary(uniqueKeysWithValues: kinds.map { ($0.kind, $0) })
    }()

    private enum CodingKeys: CodingKey {
        case kind
    }

    package init(_ declaration: any StepDeclaration) {
        self.declaration = declaration
    }

    /// Decodes a declaration; throws `DecodingError`, including for an unknown kind.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try container.decode(String.self, forKey: .kind)
        guard let type = Self.kinds[kind] else {
            throw DecodingError.dataCorruptedError(
                forKey: .kind,
                in: container,
                debugDescription: "This release of Molt knows no step of the kind \"\(kind)\"."
            )
        }
        declaration = try type.init(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type(of: declaration).kind, forKey: .kind)
        try declaration.encode(to: encoder)
    }

    package static func == (step: CodedStep, other: CodedStep) -> Bool {
        AnyHashable(step.declaration) == AnyHashable(other.declaration)
    }

    package func hash(into hasher: inout Hasher) {
        declaration.hash(into: &hasher)
    }
}

/// A step that processes one record at a time.
struct RecordEdit: Sendable {
    var typeName: String
    /// The property without which it changes nothing; nil for a closure and for a step that adds a property.
    var property: PropertyPath?
    /// Whether it leaves some values of the property as they are.
    var mayKeepValue = false
    /// Whether it is expensive enough to run on several cores.
    var isParallel = false
    /// Whether it runs a closure of the app, which may take any amount of time.
    var runsClosure = false
    var apply: @Sendable (inout Record) throws -> Void
}
