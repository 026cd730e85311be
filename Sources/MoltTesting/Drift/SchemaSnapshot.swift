internal import Foundation
public import Molt

/// The shapes of an app's types at its schema version: their properties, types, optionality, nesting and enum cases.
///
/// Check its file in: a test then fails if a model changes without a new version. See ``verify(at:recording:)``.
///
/// ```swift
/// @Test func `No model changed without a new version`() throws {
///     try SchemaSnapshot(
///         of: [
///             .samples(Person.sample, Person.withoutNickname), .samples(Group.sample),
///             .setting("profile", Profile.sample, in: .standard),
///         ],
///         version: migrations.version
///     ).verify(at: directory.appending(path: "schema.json"))
/// }
/// ```
///
/// Shapes are derived from sample values, and parts that no sample shows are not compared. Provide a sample with all
/// optionals set and all arrays and dictionaries filled, and one for each enum case with associated values. Additional
/// samples may contain nil. Properties have the names of their `CodingKeys`.
public struct SchemaSnapshot: Sendable {
    /// Sample values of one type, or of one setting.
    public struct Samples {
        /// The name of the shape.
        let name: String
        let shape: (RecordCoding) -> TypeShape?

        /// Creates samples of one type; several values can show more of it.
        public static func samples<Value: Encodable>(_ values: Value...) -> Samples {
            Samples(name: RecordTypeName.of(Value.self)) { TypeShape.of(all: values, coding: $0) }
        }

        /// Creates samples of the value that the app encodes for a setting; several values can show more of it.
        public static func setting<Value: Encodable>(_ key: String, _ values: Value..., in suite: Suite) -> Samples {
            Samples(name: SampledSetting(key, in: suite).shapeName) { TypeShape.of(all: values, coding: $0) }
        }
    }

    /// The schema version of the types and settings.
    public let version: Int
    /// The shapes by the type names of records, and by those of ``SampledSetting``.
    let shapes: [String: TypeShape]

    /// Derives shapes from samples.
    ///
    /// - Parameters:
    ///   - samples: Samples of each type that the app stores in records, and of each setting that it encodes.
    ///   - version: The registry's version.
    ///   - coding: The coders of the app's cache.
    /// - Throws: ``TestingError`` with the code `unsuitable` for a type or setting without samples or with one that
    ///   cannot be encoded.
    public init(of samples: [Samples], version: Int, coding: RecordCoding = .standard) throws {
        var shapes: [String: TypeShape] = [:]
        for sample in samples {
            guard let shape = sample.shape(coding), shape.form != .unknown else {
                throw TestingError(
                    .unsuitable,
                    "The samples of \(sample.name) show nothing: there is none, or it cannot be encoded."
                )
            }
            shapes[sample.name] = shapes[sample.name].map { $0.merged(with: shape) } ?? shape
        }
        self.version = version
        self.shapes = shapes
    }
}
