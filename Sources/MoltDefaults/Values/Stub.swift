import Foundation

public struct DefaultsError: Error {
    public let message: String
    static func unreadable(_ key: DefaultsKeys, _ error: any Error) -> DefaultsError {
        DefaultsError(message: "\(key.name): \(error)")
    }
    static func unstorable(_ key: DefaultsKeys, _ error: any Error) -> DefaultsError {
        DefaultsError(message: "\(key.name): \(error)")
    }
}

extension PropertyListValue {
    init(normalizing value: Any) throws(DefaultsError) {
        switch value {
        case let v as Bool: self = .bool(v)
        case let v as Int: self = .int(Int64(v))
        case let v as Double: self = .double(v)
        case let v as String: self = .string(v)
        case let v as Date: self = .date(v)
        case let v as Data: self = .data(v)
        case let v as [Any]:
            var out: [PropertyListValue] = []
            for x in v { out.append(try PropertyListValue(normalizing: x)) }
            self = .array(out)
        case let v as [String: Any]:
            var out: [String: PropertyListValue] = [:]
            for (k, x) in v { out[k] = try PropertyListValue(normalizing: x) }
            self = .dictionary(out)
        default: throw DefaultsError(message: "no")
        }
    }
    var object: Any {
        switch self {
        case .bool(let v): v
        case .int(let v): Int(v)
        case .unsigned(let v): v
        case .double(let v): v
        case .string(let v): v
        case .date(let v): v
        case .data(let v): v
        case .array(let v): v.map(\.object)
        case .dictionary(let v): v.mapValues(\.object)
        }
    }
}
