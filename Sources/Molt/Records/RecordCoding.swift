public import Foundation

/// The coders of a record's content, which is JSON.
package protocol ContentCoding: AnyObject, Sendable {
    func encode(_ value: some Encodable) throws -> Data
    func decode<Value: Decodable>(_ type: Value.Type, from content: Data) throws -> Value
}

extension RecordCoding: ContentCoding {
    package func encode(_ value: some Encodable) throws -> Data {
        try encoder.encode(value)
    }

    package func decode<Value: Decodable>(_ type: Value.Type, from content: Data) throws -> Value {
        try decoder.decode(type, from: content)
    }
}

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
    package let encoder: JSONEncoder
    /// Decodes a record's content.
    package let decoder: JSONDecoder

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

    /// Whether other coders give the same results; custom strategies count as the same only in the same coders.
    func isSame(as other: RecordCoding) -> Bool {
        self === other || summary == other.summary && !summary.contains("custom")
    }

    /// The form in which dates are decoded; nil for a custom strategy.
    var dateForm: Record.DateForm? {
        switch decoder.dateDecodingStrategy {
        case .deferredToDate: .deferredToDate
        case .secondsSince1970: .secondsSince1970
        case .millisecondsSince1970: .millisecondsSince1970
        case .iso8601: .iso8601
        default: nil
        }
    }

    /// The options and strategies, in a form that never changes: it is part of fingerprints.
    var summary: String {
        let options = [
            "output \(encoder.outputFormatting.rawValue)",
            "dates \(encodedDates) \(decodedDates)",
            "data \(encodedData) \(decodedData)",
            "floats \(encodedFloats) \(decodedFloats)",
            "keys \(encodedKeys) \(decodedKeys)",
            "json5 \(decoder.allowsJSON5), top level \(decoder.assumesTopLevelDictionary)",
        ]
        let userInfo = Set(encoder.userInfo.keys.map(\.rawValue) + decoder.userInfo.keys.map(\.rawValue)).sorted()
        return (options + userInfo.map { "custom \($0)" }).joined(separator: "; ")
    }

    private var encodedDates: String {
        switch encoder.dateEncodingStrategy {
        case .deferredToDate: "deferred"
        case .secondsSince1970: "seconds"
        case .millisecondsSince1970: "milliseconds"
        case .iso8601: "iso8601"
        default: "custom"
        }
    }

    private var decodedDates: String {
        switch decoder.dateDecodingStrategy {
        case .deferredToDate: "deferred"
        case .secondsSince1970: "seconds"
        case .millisecondsSince1970: "milliseconds"
        case .iso8601: "iso8601"
        default: "custom"
        }
    }

    private var encodedData: String {
        switch encoder.dataEncodingStrategy {
        case .deferredToData: "deferred"
        case .base64: "base64"
        default: "custom"
        }
    }

    private var decodedData: String {
        switch decoder.dataDecodingStrategy {
        case .deferredToData: "deferred"
        case .base64: "base64"
        default: "custom"
        }
    }

    private var encodedFloats: String {
        guard case .convertToString(let infinity, let negative, let nan) = encoder.nonConformingFloatEncodingStrategy
        else { return "throw" }
        return "\([infinity, negative, nan])"
    }

    private var decodedFloats: String {
        guard case .convertFromString(let infinity, let negative, let nan) = decoder.nonConformingFloatDecodingStrategy
        else { return "throw" }
        return "\([infinity, negative, nan])"
    }

    private var encodedKeys: String {
        switch encoder.keyEncodingStrategy {
        case .useDefaultKeys: "default"
        case .convertToSnakeCase: "snake"
        default: "custom"
        }
    }

    private var decodedKeys: String {
        switch decoder.keyDecodingStrategy {
        case .useDefaultKeys: "default"
        case .convertFromSnakeCase: "snake"
        default: "custom"
        }
    }
}
