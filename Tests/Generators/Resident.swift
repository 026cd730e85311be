package import Foundation
package import Molt

/// A value with optional objects: absent, null or there, also as elements of arrays and dictionaries, and an enum with
/// associated values.
///
/// It is in all models of ``RandomUpgrade``, with steps that add to it, move into it and build it. Whatever they do,
/// the type must be able to read it.
package struct Resident: Codable, Equatable, Sendable {
    struct Home: Codable, Equatable, Sendable {
        struct Geo: Codable, Equatable, Sendable {
            var lat: Int
            var unit: String?
        }

        var street: String
        var level: Int?
        var geo: Geo?
    }

    enum State: Codable, Equatable, Sendable {
        case idle
        case busy(since: Int, text: String?, level: Int?)
    }

    struct Address: Codable, Equatable, Sendable {
        var street: String
        var zip: String?
        var country: String?
    }

    var home: Home?
    var homes: [Home?]?
    var named: [String: Home?]?
    var state: State
    /// The parts of the address in an earlier release; there is no zip without a street.
    var street: String?
    var zip: String?
    var address: Address?
    /// Moves into the state in a later release; a resident who is idle may have it, too.
    var text: String?
    /// Whether nil is written as null.
    var writesNull: Bool

    private enum CodingKeys: String, CodingKey {
        case home, homes, named, state, street, zip, address, text
        case writesNull = "nulls"
    }

    package init(_ random: inout SeededGenerator) {
        home = Self.home(&random)
        homes = random.oneIn(3) ? nil : (0..<random.below(3)).map { _ in Self.home(&random) }
        named = random.oneIn(3) ? nil : ["a": Self.home(&random), "b": Self.home(&random)]
        state = random.oneIn(2) ? .idle : .busy(since: random.below(9), text: nil, level: nil)
        street = random.oneIn(2) ? nil : "S"
        zip = street == nil || random.oneIn(2) ? nil : "1"
        text = random.pick([nil, "t", "a b"])
        writesNull = random.oneIn(2)
    }

    private static func home(_ random: inout SeededGenerator) -> Home? {
        if random.oneIn(3) { return nil }
        let geo = random.oneIn(2) ? nil : Home.Geo(lat: random.below(90), unit: nil)
        return Home(street: "A", level: random.oneIn(2) ? nil : 1, geo: geo)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        func encode(_ value: (some Encodable)?, _ key: CodingKeys) throws {
            if writesNull || value != nil { try container.encode(value, forKey: key) }
        }
        try encode(home, .home)
        try encode(homes, .homes)
        try encode(named, .named)
        try container.encode(state, forKey: .state)
        try encode(street, .street)
        try encode(zip, .zip)
        // It is built from parts, which another object would be in the way of.
        if let address { try container.encode(address, forKey: .address) } else { try encode(Home?.none, .address) }
        try encode(text, .text)
        try container.encode(writesNull, forKey: .writesNull)
    }

    // MARK: Steps

    /// The type of records, and the key of a setting.
    package static let name = "Resident"

    /// Steps into the objects of a resident.
    ///
    /// - Parameters:
    ///   - path: The path of the resident.
    ///   - fails: Whether there may be a step that cannot convert some residents.
    static func steps(
        _ place: any MigrationStep.Place,
        at path: PropertyPath = [],
        fails: Bool = true,
        _ random: inout SeededGenerator
    ) -> [MigrationStep] {
        func at(_ names: PropertyPath...) -> PropertyPath { PropertyPath([path] + names) }
        let policy = FailurePolicy.quarantine(upTo: .unlimited)
        return switch random.below(fails ? 10 : 8) {
        case 0: [.addProperty(place, at("home", "level"), default: 0)]
        case 1: [.addProperty(place, at("home", "geo", "unit"), default: "m")]
        case 2: [.addProperty(place, at("homes", .each, "geo", "unit"), default: "m")]
        case 3: [.addProperty(place, at("named", .each, "level"), default: 0)]
        case 4: [.addProperty(place, at("state", "busy", "level"), default: 0)]
        case 5: [.addProperty(place, at("home", "level"), default: 1), .removeProperty(place, at("home", "geo"))]
        case 6:
            [
                .moveProperty(place, at("street"), to: at("address", "street")),
                .moveProperty(place, at("zip"), to: at("address", "zip")),
                .addProperty(place, at("address", "country"), default: "DE"),
            ]
        case 7: textAndBack(place, at(random.pick(objects)))
        default: [random.pick(TextMove.allCases).step(place, at: path).onFailure(policy)]
        }
    }

    /// The objects and arrays, and the elements of some.
    private static let objects: [PropertyPath] = [
        "home", "homes", ["homes", .each], "named", ["named", .each], "state",
    ]

    /// Steps that make JSON text of an object or array, and parse that again.
    private static func textAndBack(_ place: any MigrationStep.Place, _ path: PropertyPath) -> [MigrationStep] {
        [.encodeAsJSONText(place, path), .parseJSONText(place, path)]
    }

    /// Whether steps are those that move the parts of an address into an object.
    static func moveAddress(_ steps: [MigrationStep]) -> Bool { steps.count == 3 }

    /// The ways in which a step puts the text into the state.
    package enum TextMove: CaseIterable, Sendable {
        case moving, copying, joining, splitting, calling

        /// - Parameter path: The path of the resident.
        package func step(_ place: any MigrationStep.Place, at path: PropertyPath = []) -> MigrationStep {
            let (text, new): (PropertyPath, PropertyPath) = ([path, "text"], [path, "state", "busy", "text"])
            return switch self {
            case .moving: .moveProperty(place, text, to: new)
            case .copying: .copyProperty(place, text, to: new)
            case .joining: .joinProperties(place, [text, [path, "more"]], into: new)
            case .splitting: .splitProperty(place, text, into: [new, [path, "rest"]])
            case .calling: .transform(place) { if $0[text] != nil { try $0.move(text, to: new) } }
            }
        }

        /// What a resident whose state has no text must be after the step; nil if the step must refuse it, because its
        /// state is another case than the one with the text.
        package func result(for resident: Resident) -> Resident? {
            var result = resident
            if self != .copying { result.text = nil }
            guard let text = resident.text else { return result }
            guard case .busy(let since, _, let level) = resident.state else { return nil }
            let part = self == .splitting ? String(text.prefix { $0 != " " }) : text
            result.state = .busy(since: since, text: part, level: level)
            return result
        }
    }

    // MARK: Storing

    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(self)
    }

    /// The resident in one of the forms of a setting.
    package func setting(_ random: inout SeededGenerator) throws -> PropertyListValue {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        switch random.below(4) {
        case 0: return .string(String(decoding: try json(), as: UTF8.self))
        case 1: return .data(try json())
        case 2: return .data(try encoder.encode(self))
        default:
            // A native value has no null.
            var resident = self
            resident.writesNull = false
            resident.homes = homes?.filter { $0 != nil }
            resident.named = named?.filter { $0.value != nil }
            let list = try PropertyListSerialization.propertyList(from: encoder.encode(resident), format: nil)
            return try PropertyListValue(normalizing: list)
        }
    }

    /// Reads the content of a record as the last release would.
    ///
    /// - Throws: The decoder's error, if a step has made something else of it.
    @discardableResult
    package static func read(_ content: some Sequence<UInt8>) throws -> Resident {
        let data = Data(content)
        let isJSON = data.first == 0x7B
        return try isJSON
            ? JSONDecoder().decode(Resident.self, from: data) : PropertyListDecoder().decode(Resident.self, from: data)
    }

    /// Reads a setting, in any of the forms, as the last release would.
    ///
    /// - Throws: The decoder's error, if a step has made something else of it.
    @discardableResult
    package static func read(_ setting: PropertyListValue) throws -> Resident {
        if let text = setting.string { return try read(text.utf8) }
        if let data = setting.data { return try read(data) }
        return try read(PropertyListSerialization.data(fromPropertyList: setting.object, format: .xml, options: 0))
    }
}
