import Foundation
import Testing

@testable import Molt

@Suite("Containers in a suite") struct ContainerBridgeTests {
    @Test func `Arrays, sets and dictionaries are stored natively at every depth`() throws {
        try expect(["a", "b/c"], storedAs: ["a", "b/c"])
        try expect([[1], [2, 3], []], storedAs: [[1], [2, 3], []])
        try expect(["a": [1], "b": []], storedAs: ["a": [1], "b": []])
        try expect([["a": 1]], storedAs: [["a": 1]])
        try expect([Set(["only"])], storedAs: [["only"]])
        try expect(Set([Int.max]), storedAs: [.int(.max)])
        try expect(["a": ["b": ["c": Set([1.5])]]], storedAs: ["a": ["b": ["c": [1.5]]]])
        #expect(try read(Set<Int>.self, from: [1, 1, 2]) == [1, 2])
    }

    @Test func `Dates, data, URLs and Codable values in containers have their own forms`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 600_000_000.25)
        let url = try #require(URL(string: "https://e.com"))
        try expect([date], storedAs: .array([.date(date)]))
        try expect([Data([1])], storedAs: .array([.data(Data([1]))]))
        try expect([url], storedAs: .array([.string(#""https:\/\/e.com""#)]))
        try expect([Period.tenMinutes], storedAs: .array([.string("\"10 Minutes\"")]))
        try expect(["p": [Period.oneHour]], storedAs: .dictionary(["p": .array([.string("\"1 Hour\"")])]))
    }

    @Test func `Dictionary keys are stored as strings`() throws {
        try expect([1: "a", -2: "b"], storedAs: ["1": "a", "-2": "b"])
        try expect([UInt32.max: 1], storedAs: ["4294967295": 1])
        try expect([UniqueID(1234): true], storedAs: ["1234": true])
        try expect([EnumForm.oneHour: 60], storedAs: ["1 Hour": 60])
        try expect([Level.high: "h"], storedAs: ["2": "h"])
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        try expect([uuid: 1], storedAs: ["E621E1F8-C36C-495A-93FC-0C247A3E6E5F": 1])
    }

    @Test func `The error for an unreadable key or element names its place`() {
        expectUnreadable(["256": 1], as: [UInt8: Int].self, at: #"["256"]"#)
        expectUnreadable(["2 Weeks": 1], as: [EnumForm: Int].self, at: #"["2 Weeks"]"#)
        expectUnreadable([1, "x", 3], as: [Int].self, at: "[1]")
        expectUnreadable(["a": [0, true]], as: [String: [Int]].self, at: #"["a"][1]"#)
        expectUnreadable([#"{"id":"0","name":1}"#], as: [CodableTimeZone].self, at: "[0].name")
        expectUnreadable([("[1]", [Int].self), ("{}", [String: Int].self), ([:], Set<Int>.self)])
    }

    @Test func `Two spellings of one key are not merged, and nil inside a container is not stored`() {
        #expect(throws: MoltError.self) { try read([Int: Int].self, from: ["5": 1, "+5": 2]) }
        #expect(throws: MoltError.self) { try stored([1, nil, 3] as [Int?]) }
        #expect(throws: MoltError.self) { try stored(["a": nil] as [String: Int?]) }
    }

    @Test func `Collections and sets of the app are stored as arrays of their elements' forms`() throws {
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
