/// A step as a value: its kind and its parameters.
///
/// Words, fingerprint, faults and work of a step all come from its declaration. Only transforms, conversions and blocks
/// need a closure beside it.
package protocol StepDeclaration: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The name of the kind in coded declarations.
    static var kind: String { get }

    /// The kind and the parameters that a fingerprint is made of, in a form that stays the same in all releases of Molt.
    var identity: [String] { get }

    /// Adds the faults of the step, given the steps before it.
    func check(_ check: inout StepCheck)
}

/// A step that changes each record of a type by its declaration alone.
package protocol RecordStep: StepDeclaration {
    /// The type whose records it changes.
    var type: String { get }
    /// The property without which it changes nothing; nil for a step that adds one.
    var requiredProperty: PropertyPath? { get }
    /// Changes a record.
    var change: StepChange { get }
}

/// Changes a record of a pass.
package typealias StepChange = @Sendable (inout Record) throws -> Void

/// A declaration of any kind, coded as an object with the kind's name beside the parameters.
package struct CodedStep: Codable, Hashable, Sendable {
    /// The declaration.
    package let declaration: any StepDeclaration

    private static let kinds: [String: any StepDeclaration.Type] = {
        let kinds: [any StepDeclaration.Type] = [
            RenameTypeStep.self, DeleteTypeStep.self, RenamePropertyStep.self, MovePropertyStep.self,
            RemovePropertyStep.self, AddPropertyStep.self, TransformStep.self, ConvertStep.self, RunStep.self,
            BuiltInStep.self,
        ]
        return Dictionary(uniqueKeysWithValues: kinds.map { ($0.kind, $0) })
    }()

    private enum CodingKeys: CodingKey {
        case kind
    }

    /// Wraps a declaration.
    package init(_ declaration: any StepDeclaration) {
        self.declaration = declaration
    }

    /// Reads a declaration.
    ///
    /// - Throws: `DecodingError`, also for a kind that this release does not know.
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

    /// Writes the declaration.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type(of: declaration).kind, forKey: .kind)
        try declaration.encode(to: encoder)
    }

    /// Whether two declarations are of the same kind and have the same parameters.
    package static func == (step: CodedStep, other: CodedStep) -> Bool {
        AnyHashable(step.declaration) == AnyHashable(other.declaration)
    }

    /// Hashes the declaration.
    package func hash(into hasher: inout Hasher) {
        declaration.hash(into: &hasher)
    }
}
