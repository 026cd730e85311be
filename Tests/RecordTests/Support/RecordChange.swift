import Generators
import Molt

/// A random change to a record.
enum RecordChange: Sendable {
    /// Sets a property, or removes it if the value is nil.
    case set(PropertyPath, RecordValue?)
    /// Renames a property if it exists and the new name is free.
    case rename(PropertyPath, String)
    /// Sets a property that is missing or null.
    case setIfMissing(PropertyPath, RecordValue)

    /// A random change to one of the names that random objects have.
    static func random(
        _ options: RandomObject.Options = RandomObject.Options(),
        using generator: inout SeededGenerator
    ) throws -> RecordChange {
        let length = generator.pick([1, 1, 1, 1, 2, 2, 3])
        let path = PropertyPath((0..<length).map { _ in RandomObject.name(options, &generator) })
        switch Int.random(in: 0..<7, using: &generator) {
        case 0, 1:
            return .set(path, nil)
        case 2, 3:
            return .rename(path, RandomObject.name(options, &generator))
        case 4:
            return .setIfMissing(path, try value(options, &generator))
        default:
            return .set(path, try value(options, &generator))
        }
    }

    private static func value(
        _ options: RandomObject.Options,
        _ generator: inout SeededGenerator
    ) throws -> RecordValue {
        try RecordValue(json: RandomObject.value(options, depth: 3, &generator).utf8)
    }

    /// Makes the change; an impossible change leaves the record unchanged.
    func make(in record: inout Record) throws {
        switch self {
        case .set(let path, let value):
            record[path] = value
        case .rename(let path, let newName):
            try? record.rename(path, to: newName, ifMissing: .skip)
        case .setIfMissing(let path, let value):
            try? record.setIfMissing(path, to: value.json(), createsObjects: true)
        }
    }
}
