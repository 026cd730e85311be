import Foundation
import Generators
import Molt
import Testing

/// What typed keys read after `changeForm`.
@Suite struct `Typed keys and the form of settings` {
    private struct Toad: Codable, Hashable, SettingValue {
        var name: String
        var age: Int?
        var size: Double
        var isGreen: Bool
        var born: Date
        var photo: Data
        var friends: [String: [Toad]]
        var mood: Mood

        init(_ random: inout SeededGenerator, depth: Int = 0) {
            name = random.pick(["", "a", "é", "[1]", "line\nbreak", "7"])
            age = random.oneIn(2) ? nil : random.pick([0, -1, .max])
            size = random.pick([0, 1, -2.5, 0.1, 1e300])
            isGreen = random.oneIn(2)
            born = Date(timeIntervalSinceReferenceDate: random.pick([0, 7e8, -0.5]))
            photo = Data([1, 2, 3].prefix(random.below(4)))
            friends = random.oneIn(2) || depth > 1 ? [:] : ["x y": [Toad(&random, depth: depth + 1)]]
            mood = random.pick([.calm, .loud(3), .named(first: "a", last: nil)])
        }
    }

    private enum Mood: Codable, Hashable {
        case calm
        case loud(Int)
        case named(first: String, last: String?)
    }

    private enum Season: String, Codable, SettingValue { case summer, winter }

    /// A type whose JSON is a string, a number or null alone.
    private struct Wrapped: Codable, Hashable, SettingValue {
        var value: String

        init(value: String) { self.value = value }
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(String.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    private struct InData: Codable, Equatable, SettingValue {
        static var settingCoding: SettingCoding<Self> { .jsonData }

        var tags: [String]
    }

    private func expect<Value: SettingValue & Equatable>(
        _ value: Value,
        form: SettingForm? = .jsonText,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expect(value, of: SettingKey("a"), form: form, sourceLocation: sourceLocation)
    }

    private func expect<Value: Equatable>(
        _ value: Value,
        of key: SettingKey<Value?>,
        form: SettingForm?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let scratch = try ScratchSuite()
        try scratch.suite.set(value, for: key)
        let steps = [SettingForm.native, form].compactMap(\.self).map {
            MigrationStep.changeForm(.setting("a", in: scratch.suite), to: $0)
        }
        for (version, step) in zip(1..., steps) {
            try scratch.suite.upgrade(
                with: MigrationRegistry(
                    (1...version).map { number in
                        Migration(to: number, "m\(number)", steps[number - 1])
                    }
                )
            )
            let read = try scratch.suite.value(for: key)
            #expect(read == value, "\(step)", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `A typed key reads a value in its native form, and as JSON again`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let toads = (0..<(1 + random.below(3))).map { _ in Toad(&random) }
        try expect(toads[0])
        try expect(toads, form: .jsonTexts)
        try expect(Set(toads), form: .jsonTexts)
        try expect(["a": toads[0], "b": toads[toads.count - 1]], form: .jsonTexts)
        try expect([toads, toads], form: nil)
        try expect(random.pick([Season.summer, .winter]))
        try expect(Wrapped(value: random.pick(["dark", "", "7", "true"])))
        try expect(InData(tags: ["x"]), form: .jsonData)
        let list = SettingKey<[InData]?>("a", coding: .jsonData)
        try expect([InData(tags: ["x"]), InData(tags: [])], of: list, form: .jsonData)
    }

    @Test func `A typed key reads dates and data of a property list that has become native`() throws {
        struct Stamp: Codable, Equatable, SettingValue {
            var at: Date
            var bytes: Data
        }
        let stamp = Stamp(at: Date(timeIntervalSinceReferenceDate: 5), bytes: Data([1]))
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let scratch = try ScratchSuite(["a": .data(try encoder.encode(stamp))])
        try scratch.suite.upgrade(with: [
            Migration(to: 1, "native", .changeForm(.setting("a", in: scratch.suite), to: .native))
        ])
        #expect(try scratch.suite.value(for: SettingKey<Stamp?>("a")) == stamp)
        // What is not a value of the type stays an error that names the place.
        try scratch.suite.update(set: ["a": ["at": "soon", "bytes": .data(Data())]])
        let error = try #require(throws: MoltError.self) { try scratch.suite.value(for: SettingKey<Stamp?>("a")) }
        #expect(error.code == .typeMismatch)
    }

    @Test func `A number with more digits than a Double has does not become native`() throws {
        let exact = [
            "0.1", "0.10000000000000001", "1.50000000000000000000", "9007199254740992.0", "5e-324", "-0.0", "1E3",
        ]
        for text in exact + ["9007199254740993.0", "0.10000000000000000555", "1e-400", "0.12345678901234567"] {
            let scratch = try ScratchSuite(["a": .string("[\(text)]")])
            let step = MigrationStep.changeForm(.setting("a", in: scratch.suite), to: .native)
            let result = Result { try scratch.suite.upgrade(with: [Migration(to: 1, "native", step)]) }
            guard exact.contains(text) else {
                let error = try #require(throws: MoltError.self) { try result.get() }
                #expect([error.code.rawValue, error.key] == ["cannotStore", "a"], "\(text)")
                try scratch.expect(["a": .string("[\(text)]")])
                continue
            }
            _ = try result.get()
            try scratch.expect(["a": [.double(try #require(Double(text)))]], "\(text)")
        }
    }
}
