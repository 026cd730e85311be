import Foundation
import MoltDefaults
import Testing

/// A ``DefaultsV4Row`` and the typed key that the app uses after the upgrade.
struct DefaultsV4KeyRow: Sendable, CustomTestStringConvertible {
    var row: DefaultsV4Row
    var form: DefaultsForm
    /// Reads the converted value, sets another and reads that.
    var use: @Sendable (any SettingsAccess) throws -> Void

    var testDescription: String { row.testDescription }

    init<Value: DefaultsSerializable & Equatable & Sendable>(
        _ number: Int,
        _ type: Value.Type,
        _ value: Value,
        next: Value? = nil
    ) {
        self.init(number, DefaultsKey<Value?>("key"), value, next: .some(next))
    }

    init<Value: DefaultsSerializable & Equatable & Sendable>(
        _ number: Int,
        _ key: DefaultsKey<Value>,
        _ value: Value,
        next: Value?
    ) {
        let row = DefaultsV4Row.rows[number - 1]
        self.row = row
        form = key.form
        use = { settings in
            // A suite on Linux stores dates in whole seconds.
            let expected = settings is Suite ? try Value.decoded(from: row.result.asStored()) : value
            #expect(try settings.value(for: key) == expected)
            guard let next else { return }
            try settings.set(next, for: key)
            #expect(try settings.value(for: key) == next)
        }
    }

    private static func numbers<Number: DefaultsSerializable & Codable & Hashable & Sendable>(
        _ first: Int,
        _ value: Number,
        next: Number
    ) -> [DefaultsV4KeyRow] {
        [
            DefaultsV4KeyRow(first, Number.self, value, next: next),
            DefaultsV4KeyRow(first + 1, MyBag<Number>.self, MyBag([value]), next: MyBag([next])),
            DefaultsV4KeyRow(first + 2, CodableBag<Number>.self, CodableBag([value]), next: CodableBag([next])),
        ]
    }

    private static let hello = Data("Hello World!".utf8)
    private static let bye = Data("Bye".utf8)
    private static let zone = TimeZone(id: "0", name: "Asia/Taipei")
    private static let otherZone = TimeZone(id: "1", name: "Asia/Tokyo")
    private static let chosen = ChosenTimeZone(id: "0", name: "Asia/Taipei")
    private static let otherChosen = ChosenTimeZone(id: "1", name: "Asia/Tokyo")

    static let rows: [DefaultsV4KeyRow] =
        [
            DefaultsV4KeyRow(1, Data.self, hello, next: bye),
            DefaultsV4KeyRow(2, MyBag<Data>.self, MyBag([hello]), next: MyBag([hello, bye])),
            DefaultsV4KeyRow(3, CodableBag<Data>.self, CodableBag([hello]), next: CodableBag([hello, bye])),
            DefaultsV4KeyRow(4, CodableSet<Data>.self, CodableSet([hello]), next: CodableSet([hello, bye])),
        ]
        + numbers(
            5,
            Date(timeIntervalSinceReferenceDate: 642_000_000.5),
            next: Date(timeIntervalSinceReferenceDate: 700_000_000)
        )
        + numbers(8, false, next: true)
        + numbers(11, Int.min, next: .max)
        + numbers(14, UInt.min, next: .max)
        + numbers(17, Double(0), next: .infinity)
        + numbers(20, Float(0), next: .infinity)
        + numbers(23, CGFloat(0), next: .infinity)
        + numbers(26, Int8.min, next: .max)
        + numbers(29, UInt8.min, next: .max)
        + numbers(32, Int16.min, next: .max)
        + numbers(35, UInt16.min, next: .max)
        + numbers(38, Int32.min, next: .max)
        + numbers(41, UInt32.min, next: .max)
        + numbers(44, Int64.min, next: .max)
        + numbers(47, UInt64.min, next: .max)
        + collections + types

    private static let collections: [DefaultsV4KeyRow] = {
        guard let url = URL(string: "https://sindresorhus.com"), let other = URL(string: "https://example.com") else {
            return []
        }
        return [
            DefaultsV4KeyRow(50, [URL].self, [url], next: [url, other]),
            DefaultsV4KeyRow(51, MyBag<URL>.self, MyBag([url]), next: MyBag([url, other])),
            DefaultsV4KeyRow(52, DefaultsKey<[String]>("key", default: []), ["a", "b", "c"], next: ["a"]),
            DefaultsV4KeyRow(53, [String].self, ["a", "b", "c"], next: ["d"]),
            DefaultsV4KeyRow(54, [String].self, ["a", "b", "c"], next: []),
            DefaultsV4KeyRow(55, [[String: Int]].self, [["a": 0, "b": 1]], next: [["c": 2], [:]]),
            DefaultsV4KeyRow(56, Set<String>.self, ["a", "b", "c"], next: ["a"]),
            DefaultsV4KeyRow(57, MyBag<String>.self, MyBag(["Hello World!"]), next: MyBag([])),
            DefaultsV4KeyRow(58, CodableBag<String>.self, CodableBag(["a", "b", "c"]), next: CodableBag(["d"])),
            DefaultsV4KeyRow(59, MyBag<TimeZone>.self, MyBag([zone]), next: MyBag([zone, otherZone])),
            DefaultsV4KeyRow(60, MySet<TimeZone>.self, MySet([zone]), next: MySet([zone, otherZone])),
        ]
    }()

    private static let types: [DefaultsV4KeyRow] = [
        DefaultsV4KeyRow(
            61,
            DefaultsKey<TimeZone>("key", default: TimeZone(id: "1", name: "Asia/Tokio")),
            zone,
            next: otherZone
        ),
        DefaultsV4KeyRow(62, TimeZone.self, zone, next: otherZone),
        DefaultsV4KeyRow(63, [TimeZone].self, [zone], next: [zone, otherZone]),
        DefaultsV4KeyRow(64, Set<TimeZone>.self, [zone], next: [zone, otherZone]),
        DefaultsV4KeyRow(65, ChosenTimeZone.self, chosen, next: otherChosen),
        DefaultsV4KeyRow(66, [ChosenTimeZone].self, [chosen], next: [chosen, otherChosen]),
        DefaultsV4KeyRow(67, CodableBag<ChosenTimeZone>.self, CodableBag([chosen]), next: CodableBag([otherChosen])),
        DefaultsV4KeyRow(68, [String: String].self, ["Hank": "Chen"]),
        DefaultsV4KeyRow(69, [String: TimeZone].self, ["0": zone], next: ["0": zone, "1": otherZone]),
        DefaultsV4KeyRow(70, [UInt32: TimeZone].self, [123: zone], next: [.max: otherZone]),
        DefaultsV4KeyRow(71, [UniqueID: TimeZone].self, [UniqueID(1234): zone], next: [UniqueID(.min): otherZone]),
        DefaultsV4KeyRow(
            72,
            [UniqueID: [UniqueID: TimeZone]].self,
            [UniqueID(12345): [UniqueID(1234): zone]],
            next: [UniqueID(0): [UniqueID(.max): otherZone]]
        ),
        DefaultsV4KeyRow(73, EnumForm.self, .tenMinutes, next: .oneHour),
        DefaultsV4KeyRow(74, [EnumForm].self, [.tenMinutes], next: [.oneHour, .halfHour]),
        DefaultsV4KeyRow(75, Set<EnumForm>.self, [.tenMinutes], next: [.oneHour, .halfHour]),
    ]
}

@Suite("Defaults 5's own tests with typed keys")
struct DefaultsV4KeyTests {
    @Test(arguments: DefaultsV4KeyRow.rows)
    func `A typed key reads the converted value and the value set after it`(item: DefaultsV4KeyRow) throws {
        let settings = DictionarySettings(["key": .string(item.row.stored)])
        try convert(item, in: settings)
    }

    @Test(arguments: DefaultsV4KeyRow.rows)
    func `A typed key in a suite reads the converted value and the value set after it`(item: DefaultsV4KeyRow) throws {
        let suite = Suite(TestHome.newSuiteName())
        try suite.set(.string(item.row.stored), forKey: "key")
        try convert(item, in: suite)
    }

    @Test
    func `All 75 tests of Defaults 5 are covered`() {
        #expect(DefaultsV4KeyRow.rows.map(\.row.number) == Array(1...75))
    }

    private func convert(_ item: DefaultsV4KeyRow, in settings: any SettingsAccess) throws {
        let stored = try #require(try settings.value(forKey: "key"))
        let conversion = DefaultsV4Conversion()
        #expect(conversion.convert(stored, as: item.form) == .converted(item.row.result))
        #expect(conversion.convert(item.row.result, as: item.form) == .alreadyCurrent)
        try settings.set(item.row.result, forKey: "key")
        try item.use(settings)
    }
}

extension MyBag: Equatable where Element: Equatable {
    static func == (one: MyBag, other: MyBag) -> Bool { one.items == other.items }
}

extension CodableBag: Equatable where Element: Equatable {
    static func == (one: CodableBag, other: CodableBag) -> Bool { one.items == other.items }
}
