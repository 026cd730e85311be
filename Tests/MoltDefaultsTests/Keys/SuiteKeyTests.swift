import Foundation
import Testing

@testable import Molt

@Suite("Typed keys in a suite on disk") struct SuiteKeyTests {
    let suite = Molt.Suite(TestHome.newSuiteName())

    @Test func `Values at their limits are read back from the file`() throws {
        try expectKept(Int.min, Int.max, Int8.min, UInt32.max, Int64.max, UInt.max, UInt64.max, [UInt64.max, 0])
        try expectKept(0.1, Double.greatestFiniteMagnitude, Double.leastNonzeroMagnitude, Double.infinity)
        try expectKept(-Float.infinity, Float.greatestFiniteMagnitude, CGFloat.infinity, true, [false, true])
        try expectKept("", "<a> & \"b\"\n\u{1F984}", Date(timeIntervalSinceReferenceDate: 600_000_000), Data())
        try expectKept(Data([0, 255]), UUID(), Decimal.greatestFiniteMagnitude, Int.min..<Int.max)
    }

    @Test func `Types of the app and containers are read back from the file`() throws {
        let zone = TimeZone(id: "0", name: "Asia/Taipei")
        let url = try #require(URL(string: "https://e.com/a?b=%20#c"))
        try expectKept(url, Period.halfHour, EnumForm.oneHour, Level.high, zone, [Frog(name: "a")])
        try expectKept(Note(when: Date(timeIntervalSinceReferenceDate: 600_000_000.25)))
        try expectKept([UniqueID(12345): [UniqueID(1234): zone]], [[String: Set<Int>]](), [["a": Set([1, 2])], [:]])
        try expectKept([Int8.min: [Period.oneHour]], Mixed(name: "n", count: .max))
        let color = DefaultsKey<Color?>("color")
        try suite.set(Color(name: "red"), for: color)
        #expect(try suite.value(for: color)?.name == "red")
    }

    @Test(arguments: [true, false])
    func `Assigning a setting replaces an unreadable value`(isNamed: Bool) throws {
        let name = "level \(UUID().uuidString)"
        let suite = isNamed ? suite : .standard
        defer { try? suite.removeValue(forKey: name) }
        let level = DefaultsKey<Level>(name, default: .low)
        try suite.set(["no", "level"], forKey: name)
        suite[level] = .high
        #expect(try suite.value(forKey: name) == 2)
        let list = DefaultsKey<[Int]>(name, default: [1])
        suite[list] += [2]
        #expect(try suite.value(forKey: name) == 2)
        suite[list] = [3]
        suite[list] += [4]
        #expect(try suite.value(forKey: name) == [3, 4])
    }

    private func expectKept<each Value: DefaultsSerializable & Equatable & Sendable>(
        _ values: repeat each Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        func expectKept<Kept: DefaultsSerializable & Equatable & Sendable>(_ value: Kept) throws {
            let key = DefaultsKey<Kept?>("key")
            try suite.set(value, for: key)
            #expect(try suite.value(for: key) == value, sourceLocation: sourceLocation)
            // Reads the file, not the platform's copy in memory.
            let settings = DictionarySettings(try suite.values())
            #expect(try settings.value(for: key) == value, sourceLocation: sourceLocation)
        }
        repeat try expectKept(each values)
    }
}
