import Foundation
import MoltCore
import MoltDefaults

/// The forms used by the conversion's tests, written out by hand instead of derived from typed keys.
extension DefaultsForm {
    static func enumeration(_ values: [PropertyListValue], _ raw: DefaultsForm = .string) -> DefaultsForm {
        DefaultsForm(.rawValue(raw, isKnown: { values.contains($0) }))
    }

    static let period = enumeration([.string("10 Minutes"), .string("30 Minutes"), .string("1 Hour")])
    static let periodKey = DefaultsForm.Key { ["10 Minutes", "30 Minutes", "1 Hour"].contains($0) ? $0 : nil }
    static let level = enumeration([.int(1), .int(2)], .int)

    /// A struct with a bridge to a dictionary, Codable in Defaults 4.
    static let timeZone = DefaultsForm(
        .native(
            convert: { bytes in
                let zone = try JSONDecoder().decode(CodableTimeZone.self, from: Data(bytes))
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

    /// A former Codable struct with one property, now the array that this property held.
    static func flattened(_ property: String, _ element: DefaultsForm) -> DefaultsForm {
        let form = DefaultsForm.array(of: element)
        let conversion = DefaultsV4Conversion()
        return DefaultsForm(
            .native(
                convert: { bytes in
                    let object = try RecordValue(json: bytes).object
                    let text = String(decoding: try object?[property]?.json() ?? [], as: UTF8.self)
                    guard case .converted(let value) = conversion.convert(.string(text), as: form) else {
                        throw CocoaError(.coderInvalidValue)
                    }
                    return value
                },
                isCurrent: { conversion.convert($0, as: form) == .alreadyCurrent }
            )
        )
    }
}
