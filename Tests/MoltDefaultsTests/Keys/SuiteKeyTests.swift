import Foundation
import MoltDefaults
import Testing

extension DefaultsKeys {
    fileprivate static let period = DefaultsKey<Period?>("period")
    fileprivate static let level = DefaultsKey<Level>("level", default: .low)
}

@Suite("Typed keys in a suite on disk")
struct SuiteKeyTests {
    let suite = MoltDefaults.Suite(TestHome.newSuiteName())

    @Test
    func `Values at their limits are read back from the file`() throws {
        try expectKept(Int.min)
        try expectKept(Int.max)
        try expectKept(Int8.min)
        try expectKept(UInt32.max)
        try expectKept(Int64.max)
        try expectKept(UInt.max)
        try expectKept(UInt64.max)
        try expectKept([UInt64.max, 0])
        try expectKept(0.1)
        try expectKept(Double.greatestFiniteMagnitude)
        try expectKept(Double.leastNonzeroMagnitude)
        try expectKept(Double.infinity)
        try expectKept(-Float.infinity)
        try expectKept(Float.greatestFiniteMagnitude)
        try expectKept(CGFloat.infinity)
        try expectKept(true)
        try expectKept([false, true])
        try expectKept("")
        try expectKept("<a> & \"b\"\n\u{1F984}")
        try expectKept(Date(timeIntervalSinceReferenceDate: 600_000_000))
        try expectKept(Data())
        try expectKept(Data([0, 255]))
        try expectKept(UUID())
        try expectKept(Decimal.greatestFiniteMagnitude)
        try expectKept(Int.min..<Int.max)
    }

    @Test
    func `Types of the app and containers are read back from the file`() throws {
        let zone = TimeZone(id: "0", name: "Asia/Taipei")
        let url = try #require(URL(string: "https://e.com/a?b=%20#c"))
        try expectKept(url)
        try expectKept(Period.halfHour)
        try expectKept(EnumForm.oneHour)
        try expectKept(Level.high)
        try expectKept(zone)
        try expectKept(Note(when: Date(timeIntervalSinceReferenceDate: 600_000_000.25)))
        try expectKept([UniqueID(12345): [UniqueID(1234): zone]])
        try expectKept([[String: Set<Int>]]())
        try expectKept([["a": Set([1, 2])], [:]])
        try expectKept([Int8.min: [Period.oneHour]])
        try expectKept([Frog(name: "a")])
        try expectKept(Mixed(name: "n", count: .max))
        let color = DefaultsKey<Color?>("color")
        try suite.set(Color(name: "red"), for: color)
        #expect(try suite.value(for: color)?.name == "red")
    }

    @Test
    func `A setting is read, set and removed as the guide describes`() throws {
        #expect(suite[.period] == nil)
        try suite.set(.oneHour, for: .period)
        #expect(suite[.period] == .oneHour)
        suite[.level] = .high
        #expect(try suite.values() == ["period": "\"1 Hour\"", "level": 2])
        suite[.period] = nil
        try suite.remove(.level)
        #expect(suite[.level] == .low)
        #expect(try suite.values() == [:])
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

    private func expectKept<Value: DefaultsSerializable & Equatable & Sendable>(
        _ value: Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let key = DefaultsKey<Value?>("key")
        try suite.set(value, for: key)
        #expect(try suite.value(for: key) == value, sourceLocation: sourceLocation)
        // Reads the file, not the platform's copy in memory.
        let settings = DictionarySettings(try suite.values())
        #expect(try settings.value(for: key) == value, sourceLocation: sourceLocation)
    }
}
