import Foundation
import Generators
import Molt
import TestSupport
import Testing

@Suite struct `Agreement of records with Foundation` {
    private static let options = RandomObject.Options(hasDuplicates: false, isForFoundation: true)

    @Test(arguments: 0..<TestRun.choose(2, long: 8))
    func `A changed record and its properties decode to the model with the same changes`(seed: Int) throws {
        var generator = SeededGenerator(seed: 7_000 + UInt64(seed))
        for _ in 0..<100 {
            let text = RandomObject(Self.options, using: &generator).text
            var record = try Record(text)
            var model = try FoundationValue(json: text)
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                let change = try RecordChange.random(Self.options, using: &generator)
                try change.make(in: &record)
                try model.make(change)
            }
            #expect(try FoundationValue(json: record.text) == model, "\(text) became \(record.text)")
            #expect(try record.decoded(as: FoundationValue.self) == model)
            #expect(try FoundationValue(record.content()) == model)
            let serialized = try JSONSerialization.jsonObject(with: Data(record.storedBytes))
            #expect((serialized as? [String: Any])?.count == record.propertyNames.count)
            try expectProperties(of: record, model)
        }
    }

    private func expectProperties(of record: Record, _ model: FoundationValue) throws {
        guard case .object(let properties) = model else {
            Issue.record("\(record.text) is no object")
            return
        }
        #expect(Set(record.propertyNames) == Set(properties.keys))
        for (name, value) in properties {
            let name = PropertyPath(name)
            #expect(try record.value(name, as: FoundationValue.self) == value)
            #expect(try FoundationValue(record.value(name)) == value)
            switch value {
            case .string(let string): #expect(try record.string(name) == string)
            case .number(let number): #expect(try record.double(name) == number)
            case .bool(let bool): #expect(try record.bool(name) == bool)
            case .null, .array, .object: break
            }
        }
    }
}

/// A JSON value as Foundation's decoder reads it.
private enum FoundationValue: Equatable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([FoundationValue])
    case object([String: FoundationValue])

    init(json: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let array = try? container.decode([FoundationValue].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: FoundationValue].self))
        }
    }

    init(_ value: RecordValue) throws {
        switch value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .number(let number): self = .number(try #require(number.double))
        case .string(let string): self = .string(string)
        case .array(let elements): self = .array(try elements.map(FoundationValue.init))
        case .object(let object):
            let pairs = try object.properties.map { ($0.name, try FoundationValue($0.value)) }
            self = .object(Dictionary(uniqueKeysWithValues: pairs))
        }
    }

    /// Makes the change in Foundation's values by the rules in the documentation of `Record`.
    mutating func make(_ change: RecordChange) throws {
        switch change {
        case .set(let path, let value?):
            try set(path.names[...], to: FoundationValue(value))
        case .set(let path, nil):
            _ = remove(path.names[...])
        case .rename(let path, let newName):
            let newPath = path.names.dropLast() + [newName]
            guard value(path.names[...]) != nil, value(newPath) == nil || newName == path.names.last else { return }
            if let value = remove(path.names[...]) { set(newPath, to: value) }
        case .setIfMissing(let path, let newValue):
            if value(path.names[...]) ?? .null == .null { try set(path.names[...], to: FoundationValue(newValue)) }
        }
    }

    private func value(_ path: ArraySlice<String>) -> FoundationValue? {
        guard let name = path.first else { return self }
        guard case .object(let properties) = self else { return nil }
        return properties[name]?.value(path.dropFirst())
    }

    /// Does nothing when a value on the path is neither an object nor null.
    private mutating func set(_ path: ArraySlice<String>, to value: FoundationValue) {
        guard case .object(var properties) = self, let name = path.first else { return }
        if path.count == 1 {
            properties[name] = value
        } else {
            let isThere = properties[name] ?? .null != .null
            var child = isThere ? properties[name] ?? .null : .object([:])
            guard case .object = child else { return }
            child.set(path.dropFirst(), to: value)
            if !isThere, child == .object([:]) { return }
            properties[name] = child
        }
        self = .object(properties)
    }

    private mutating func remove(_ path: ArraySlice<String>) -> FoundationValue? {
        guard case .object(var properties) = self, let name = path.first else { return nil }
        let removed =
            path.count == 1 ? properties.removeValue(forKey: name) : properties[name]?.remove(path.dropFirst())
        self = .object(properties)
        return removed
    }
}
