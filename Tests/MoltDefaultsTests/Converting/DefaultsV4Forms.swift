import Foundation
import MoltCore
import MoltDefaults

/// Forms that the conversion's tests are about, written out without the help of typed keys.
extension DefaultsForm {
    static func enumeration(_ values: [PropertyListValue], _ raw: DefaultsForm = .string) -> DefaultsForm {
        DefaultsForm(.rawValue(raw, isKnown: { values.contains($0) }))
    }

    static let period = enumeration([.string("10 Minutes"), .string("30 Minutes"), .string("1 Hour")])
    static let periodKey = DefaultsKeyForm { ["10 Minutes", "30 Minutes", "1 Hour"].contains($0) ? $0 : nil }
    static let level = enumeration([.int(1), .int(2)], .int)

    /// The struct with a bridge to a dictionary, once Codable.
    static let timeZone = DefaultsForm(
        .native(
            convert: { bytes in
                let zone = try JSONDecoder().decode(CodableZone.self, from: Data(bytes))
                return .dictionary(["id": .string(zone.id), "name": .string(zone.name)])
            },
            isCurrent: { value in
                guard case .dictionary(let values) = value, case .string = values["id"],
                    case .string = values["name"]
                else { return false }
                return true
            }
        )
    )

    /// A Codable struct with one property, now the array that the property holds.
    static func flattened(_ property: String, _ element: DefaultsForm) -> DefaultsForm {
        let form = DefaultsForm.array(of: element)
        let conversion = DefaultsV4Conversion()
        return DefaultsForm(
            .native(
                convert: { bytes in
                    let object = try RecordValue(json: bytes).object
                    let text = String(decoding: try object?[property]?.json() ?? [], as: UTF8.self)
                    guard case .converted(let value, _) = conversion.convert(.string(text), as: form) else {
                        throw CocoaError(.coderInvalidValue)
                    }
                    return value
                },
                isCurrent: { conversion.convert($0, as: form) == .alreadyCurrent }
            )
        )
    }
}

struct CodableZone: Codable, Hashable {
    var id: String
    var name: String
}

/// A key that is kept as text: over `Int64`.
struct UniqueIdentifier: LosslessStringConvertible, DefaultsDictionaryKey {
    var id: Int64

    init?(_ description: String) {
        guard let id = Int64(description) else { return nil }
        self.id = id
    }

    var description: String { String(id) }
}
