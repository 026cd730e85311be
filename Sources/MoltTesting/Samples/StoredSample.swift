internal import Foundation
internal import Molt

extension PropertyListValue {
    /// Encodes a value as an app does that stores it in a form.
    ///
    /// - Parameter form: The form; nil for a native value if the type is a string, a Boolean, a number, a date or data,
    ///   and for JSON text otherwise.
    static func encoding(_ value: some Encodable, as form: SettingForm?, coding: RecordCoding) throws
        -> PropertyListValue
    {
        switch form ?? (isNative(value) ? .native : .jsonText) {
        case .native:
            // In an array, because a property list cannot be a string or a number alone.
            let list = try PropertyListReader.value(PropertyListEncoder().encode([value]))
            guard let value = list.array?.first else {
                throw TestingError(.unsuitable, "A suite cannot hold the sample.")
            }
            return value
        case .jsonText: return .string(String(decoding: try coding.encoder.encode(value), as: UTF8.self))
        case .jsonData: return .data(try coding.encoder.encode(value))
        case .binaryPropertyList, .xmlPropertyList:
            let encoder = PropertyListEncoder()
            encoder.outputFormat = form == .xmlPropertyList ? .xml : .binary
            return .data(try encoder.encode(value))
        case .jsonTexts: return try texts(RecordValue(json: coding.encoder.encode(value)))
        }
    }

    private static func texts(_ value: RecordValue) throws -> PropertyListValue {
        switch value {
        case .array(let elements): .array(elements.map { .string($0.description) })
        case .object(let object):
            .dictionary(
                Dictionary(object.properties.map { ($0.name, .string($0.value.description)) }) { _, last in last }
            )
        default: throw TestingError(.unsuitable, "JSON texts are those of an array or a dictionary.")
        }
    }

    /// Whether a suite holds a value of the type as it is.
    static func isNative(_ value: Any) -> Bool {
        value is String || value is Bool || value is any BinaryInteger || value is any BinaryFloatingPoint
            || value is Date || value is Data
    }

    /// Whether a value is an array, a set or a dictionary, which has a native form beside that of `Codable` values.
    static func isContainer(_ value: Any) -> Bool { value is any Collection && !isNative(value) }
}
