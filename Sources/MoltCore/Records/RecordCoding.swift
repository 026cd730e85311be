public import Foundation

/// The coders that turn values into a record's content and back.
///
/// The encoder always sorts keys: a migration that converts a value must write the same bytes on every launch,
/// whichever path of versions led to it.
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

    /// Foundation's coders with their own defaults, sorted keys, and slashes not escaped.
    public static let standard = RecordCoding()

    /// Creates coders.
    ///
    /// - Parameter configure: Sets dates, keys and the like on a new encoder and a new decoder, once.
    public init(configure: (_ encoder: JSONEncoder, _ decoder: JSONDecoder) -> Void = { _, _ in }) {
        encoder = JSONEncoder()
        decoder = JSONDecoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        configure(encoder, decoder)
        encoder.outputFormatting.insert(.sortedKeys)
    }

    /// Coders that do the same and share nothing that threads would have to take turns at.
    ///
    /// Each use of a coder counts references to it and to its parts, and two cores that count the same one wait for each
    /// other: a batch that is converted on two cores takes a quarter more time with one pair of coders.
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
