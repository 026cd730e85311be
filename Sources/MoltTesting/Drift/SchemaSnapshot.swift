internal import Foundation
public import MoltCore

/// The shapes of an app's types at its schema version: their properties, types, optionality, nesting and enum cases.
///
/// Kept as a file that is checked in, it tells who changes a model without a new version, see ``verify(at:recording:)``.
///
/// ```swift
/// @Test func `No model changed without a new version`() throws {
///     try SchemaSnapshot(
///         of: [.samples(Person.sample, Person.withoutNickname), .samples(Group.sample)],
///         version: migrations.version
///     ).verify(at: directory.appending(path: "schema.json"))
/// }
/// ```
///
/// A shape is taken from values, and shows what they show. Give a sample with all its optionals set, its arrays and
/// dictionaries filled, and one for each case of an enum that carries values; what no sample shows is not compared. Nil
/// in one of them does no harm. Properties are named as `CodingKeys` name them.
public struct SchemaSnapshot: Sendable {
    /// Values of one type.
    public struct Samples {
        let type: String
        let shape: (RecordCoding) -> TypeShape?

        /// Values of one type; several show more than one.
        public static func samples<Value: Encodable>(_ values: Value...) -> Samples {
            Samples(type: RecordTypeName.of(Value.self)) { TypeShape.of(all: values, coding: $0) }
        }
    }

    /// The schema version that the types have.
    public let version: Int
    /// The types by the names that their records are written as.
    let types: [String: TypeShape]

    /// Takes the shapes of samples.
    ///
    /// - Parameters:
    ///   - samples: Values of each type that the app stores.
    ///   - version: The registry's version.
    ///   - coding: The coders of the app's cache.
    /// - Throws: ``TestingError`` with the code `unsuitable` for a type without a value, or one that cannot be encoded.
    public init(of samples: [Samples], version: Int, coding: RecordCoding = .standard) throws {
        var types: [String: TypeShape] = [:]
        for sample in samples {
            guard let shape = sample.shape(coding), shape.form != .unknown else {
                throw TestingError(
                    .unsuitable,
                    "The samples of \(sample.type) show nothing: there is none, or it cannot be encoded."
                )
            }
            types[sample.type] = types[sample.type].map { $0.merged(with: shape) } ?? shape
        }
        self.version = version
        self.types = types
    }
}
