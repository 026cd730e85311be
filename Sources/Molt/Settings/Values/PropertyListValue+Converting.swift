internal import Foundation

extension PropertyListValue {
    /// The value as `UserDefaults` would convert it to a type, where that can mean only one thing; nil otherwise.
    ///
    /// Launch arguments, `defaults write`, configuration profiles and Objective-C write strings and numbers where a
    /// typed key has another type.
    func converted<Value>(to type: Value.Type) -> Value? {
        let target = (type as? any AnyOptional.Type)?.wrappedType ?? type
        let value: Any? =
            switch target {
            case is Bool.Type: boolean
            case let integer as any FixedWidthInteger.Type: whole(integer)
            case is Double.Type: decimal
            case is Float.Type: decimal.map { Float($0) }
            case is CGFloat.Type: decimal.map { CGFloat($0) }
            default: nil
            }
        return value.flatMap { $0 as? Value }
    }

    /// The URL that `UserDefaults.set(_: URL?, forKey:)` has stored: the path of a file, or an archive; nil for others.
    ///
    /// On Linux, it keeps the path of any URL.
    var urlOfDefaults: URL? {
        switch self {
        case .string(let text) where text.hasPrefix("/") || text.hasPrefix("~"):
            URL(fileURLWithPath: (text as NSString).expandingTildeInPath)
        case .data: (try? KeyedArchive.object([NSURL.self], from: self) as NSURL).map { $0 as URL }
        default: nil
        }
    }

    private var boolean: Bool? {
        switch self {
        case .bool(let value): value
        case .int(0), .unsigned(0), .double(0): false
        case .int(1), .unsigned(1), .double(1): true
        case .string(let text):
            switch text.lowercased() {
            case "yes", "true", "1": true
            case "no", "false", "0": false
            default: nil
            }
        default: nil
        }
    }

    private func whole<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        switch self {
        case .string(let text): Integer(text)
        default: nil
        }
    }

    private var decimal: Double? {
        switch self {
        // Neither hexadecimal numbers nor words.
        case .string(let text) where text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }):
            Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }
}
