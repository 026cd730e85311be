import Foundation
import MoltDefaults
import Testing

@Suite("Containers in a suite")
struct ContainerBridgeTests {
    @Test
    func `Arrays, sets and dictionaries are stored natively at every depth`() throws {
        try expect(["a", "b/c"], storedAs: .array([.string("a"), .string("b/c")]))
        try expect([[1], [2, 3], []], storedAs: .array([.array([.int(1)]), .array([.int(2), .int(3)]), .array([])]))
        try expect(["a": [1], "b": []], storedAs: .dictionary(["a": .array([.int(1)]), "b": .array([])]))
        try expect([["a": 1]], storedAs: .array([.dictionary(["a": .int(1)])]))
        try expect([Set(["only"])], storedAs: .array([.array([.string("only")])]))
        try expect(Set([Int.max]), storedAs: .array([.int(.max)]))
        try expect(
            ["a": ["b": ["c": Set([1.5])]]],
            storedAs: .dictionary([
                "a": .dictionary(["b": .dictionary(["c": .array([.double(1.5)])])])
            ])
        )
        #expect(try read(Set<Int>.self, from: .array([.int(1), .int(1), .int(2)])) == [1, 2])
    }

    @Test
    func `Dates, data, URLs and Codable values in containers have their own forms`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 600_000_000.25)
        let url = try #require(URL(string: "https://e.com"))
        try expect([date], storedAs: .array([.date(date)]))
        try expect([Data([1])], storedAs: .array([.data(Data([1]))]))
        try expect([url], storedAs: .array([.string(#""https:\/\/e.com""#)]))
        try expect([Period.tenMinutes], storedAs: .array([.string("\"10 Minutes\"")]))
        try expect(["p": [Period.oneHour]], storedAs: .dictionary(["p": .array([.string("\"1 Hour\"")])]))
    }

    @Test
    func `Dictionary keys are stored as strings`() throws {
        try expect([1: "a", -2: "b"], storedAs: .dictionary(["1": .string("a"), "-2": .string("b")]))
        try expect([UInt32.max: 1], storedAs: .dictionary(["4294967295": .int(1)]))
        try expect([UniqueID(1234): true], storedAs: .dictionary(["1234": .bool(true)]))
        try expect([EnumForm.oneHour: 60], storedAs: .dictionary(["1 Hour": .int(60)]))
        try expect([Level.high: "h"], storedAs: .dictionary(["2": .string("h")]))
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        try expect([uuid: 1], storedAs: .dictionary(["E621E1F8-C36C-495A-93FC-0C247A3E6E5F": .int(1)]))
        expectUnreadable(.dictionary(["256": .int(1)]), as: [UInt8: Int].self, at: #"["256"]"#)
        expectUnreadable(.dictionary(["2 Weeks": .int(1)]), as: [EnumForm: Int].self, at: #"["2 Weeks"]"#)
    }

    @Test
    func `Two spellings of one key are an error and are not merged`() {
        #expect(throws: DefaultsError.self) {
            try read([Int: Int].self, from: .dictionary(["5": .int(1), "+5": .int(2)]))
        }
    }

    @Test
    func `The error for an unreadable element names its place`() {
        expectUnreadable(.array([.int(1), .string("x"), .int(3)]), as: [Int].self, at: "[1]")
        expectUnreadable(
            .dictionary(["a": .array([.int(0), .bool(true)])]),
            as: [String: [Int]].self,
            at: #"["a"][1]"#
        )
        expectUnreadable(.array([.string(#"{"id":"0","name":1}"#)]), as: [CodableTimeZone].self, at: "[0].name")
        expectUnreadable(.string("[1]"), as: [Int].self)
        expectUnreadable(.string("{}"), as: [String: Int].self)
        expectUnreadable(.dictionary([:]), as: Set<Int>.self)
    }

    @Test
    func `Nil inside a container cannot be stored`() {
        #expect(throws: DefaultsError.self) { try stored([1, nil, 3] as [Int?]) }
        #expect(throws: DefaultsError.self) { try stored(["a": nil] as [String: Int?]) }
    }

    @Test
    func `Collections and sets of the app are stored as arrays of their elements' forms`() throws {
        let zone = TimeZone(id: "0", name: "Asia/Taipei")
        let stored = PropertyListValue.array([.dictionary(["id": .string("0"), "name": .string("Asia/Taipei")])])
        try expect(Array(read(MyBag<TimeZone>.self, from: stored)), storedAs: stored)
        #expect(try MoltDefaultsTests.stored(MyBag([zone])) == stored)
        #expect(try MoltDefaultsTests.stored(CodableBag([Int8.min])) == .array([.int(-128)]))
        #expect(try read(CodableBag<Int8>.self, from: .array([.int(-128)])).items == [.min])
        #expect(try MoltDefaultsTests.stored(MySet([zone])) == stored)
        #expect(try read(MySet<TimeZone>.self, from: stored).store == [zone])
        #expect(try MoltDefaultsTests.stored(CodableSet(["a"])) == .array([.string("a")]))
        #expect(try read(CodableSet<String>.self, from: .array([.string("a")])).store == ["a"])
    }
}

enum Level: Int, DefaultsSerializable, DefaultsDictionaryKey {
    case low = 1
    case high = 2
}
