public import Foundation

/// The coders for records' contents.
///
/// The encoder always sorts keys: a migration that converts a value must write the same bytes on every launch, from any
/// earlier version.
///
/// ```swift
/// let coding = RecordCoding { encoder, decoder in
///     encoder.dateEncodingStrategy = .iso8601
///     decoder.dateDecodingStrategy = .iso8601
/// }
/// ```
public final class RecordCoding: Sendable {
    /// Encodes a value to a record's content.
    public let encoder: JSONEncoder
    /// Decodes a record's content.
    public let decoder: JSONDecoder

    /// Foundation's coders with their defaults, except for sorted keys and unescaped slashes.
    public static let standard = RecordCoding()

    /// Creates coders.
    ///
    /// - Parameter configure: Configures a new encoder and a new decoder; called once.
    public init(configure: (_ encoder: JSONEncoder, _ decoder: JSONDecoder) -> Void = { _, _ in }) {
        encoder = JSONEncoder()
        decoder = JSONDecoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        configure(encoder, decoder)
        encoder.outputFormatting.insert(.sortedKeys)
    }

    /// Equivalent coders that share no state with these.
    ///
    /// Each use of a coder changes the reference counts of its parts, for which cores contend: converting a batch on
    /// two cores takes a quarter longer with shared coders.
    func copy() -> RecordCoding {
        RecordCoding { encoder, decoder in
            encoder.outputFormatting = self.encoder.outputFormatting
            encoder.dateEncodingStrategy = self.encoder.dateEncodingStrategy
            encoder.dataEncodingStrategy = self.encoder.dataEncodingStrategy
            encoder.nonConformingFloatEncodingStrategy = self.encoder.nonConformingFloatEncodingStrategy
            encoder.keyEncodingStrategy = self.encoder.keyEncodingStrategy
            encoder.userInfo = self.encoder.userInfo
            decoder.dateDecodingStrategy = self.decoder.dateDecodingStrategy
            decoder.dataDecodingStrategy = self.decoder.dataDecodingStrategy
            decoder.nonConformingFloatDecodingStrategy = self.decoder.nonConformingFloatDecodingStrategy
            decoder.keyDecodingStrategy = self.decoder.keyDecodingStrategy
            decoder.allowsJSON5 = self.decoder.allowsJSON5
            decoder.assumesTopLevelDictionary = self.decoder.assumesTopLevelDictionary
            decoder.userInfo = self.decoder.userInfo
        }
    }
}
