internal import Foundation
internal import Molt

extension RecordCoding {
    /// The name under which the encoder writes a property.
    func storedName(of property: String) -> String {
        if case .useDefaultKeys = encoder.keyEncodingStrategy { return property }
        let probe = (try? encoder.encode(Probe(name: property))).map { String(decoding: $0, as: UTF8.self) }
        return probe.flatMap { try? JSONPart($0) }?.properties?.first?.name ?? property
    }

    /// A value with one property.
    private struct Probe: Encodable {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }

            init?(intValue: Int) { nil }
        }

        let name: String

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(true, forKey: Key(stringValue: name))
        }
    }
}

extension TypeShape {
    /// Whether values that cannot be decoded are kept; see ``KeepingUnknown``.
    var keepsUnknown: Bool { ["KeepingUnknown<", "KeepingUnknownElements<"].contains(where: name.hasPrefix) }
}
