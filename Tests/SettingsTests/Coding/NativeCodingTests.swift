import Foundation
import Molt
import TestSupport
import Testing

@Suite("Codings of scalars") struct ScalarCodingTests {
    @Test func `Integers of every width are native and exact at their limits`() throws {
        for type in [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
            UInt64.self,
        ] as [any (FixedWidthInteger & SettingValue & Sendable).Type] {
            try expectLimits(type)
        }
        try expect(UInt64.max, storedAs: .unsigned(18_446_744_073_709_551_615))
        try expect(Int.min, storedAs: .int(-9_223_372_036_854_775_808))
    }

    private func expectLimits<Number: FixedWidthInteger & SettingValue & Sendable>(
        _ type: Number.Type
    ) throws {
        for number in [Number.min, 0, Number.max] {
            try expect(number, storedAs: Int64(exactly: number).map { .int($0) } ?? .unsigned(UInt64(number)))
        }
    }

    @Test func `A number outside a type's range is unreadable`() {
        expectUnreadable([
            (128, Int8.self), (-1, UInt.self), (-1, UInt64.self), (65536, UInt16.self), (.unsigned(.max), Int.self),
            (1e300, Int64.self), (1.5, Int.self), (.double(.nan), Int.self), (.double(.infinity), UInt8.self),
            (1e300, Float.self),
        ])
    }

    @Test func `Floating-point numbers are native, including infinities`() throws {
        try expect(0.1, storedAs: .double(0.1))
        try expect(Double.infinity, storedAs: .double(.infinity))
        try expect(-Double.greatestFiniteMagnitude, storedAs: .double(-Double.greatestFiniteMagnitude))
        try expect(Float(0.1), storedAs: .double(Double(Float(0.1))))
        try expect(Float.infinity, storedAs: .double(.infinity))
        try expect(CGFloat(0.25), storedAs: .double(0.25))
        try expect(CGFloat.infinity, storedAs: .double(.infinity))
        try expect(Float(0.1), readFrom: 0.1)
        try expect(3.0, readFrom: 3)
        let noNumber = try read(Double.self, from: .double(.nan))
        #expect(noNumber.isNaN)
    }

    @Test func `Booleans, strings, dates and data are native`() throws {
        try expect(true, storedAs: .bool(true))
        try expect("\"a\" \u{1F984}", storedAs: .string("\"a\" \u{1F984}"))
        let date = Date(timeIntervalSinceReferenceDate: 600_000_000.25)
        try expect(date, storedAs: .date(date))
        try expect(Data([0, 255]), storedAs: .data(Data([0, 255])))
        try expect(true, readFrom: 1)
        // Every stored value can be read as a property list value.
        try expect(PropertyListValue.array([.bool(true), .int(1)]), storedAs: .array([.bool(true), .int(1)]))
        expectUnreadable([
            (2, Bool.self), (true, Int.self), ("one", Int.self), (1, String.self), ("AQ==", Data.self),
            (1.0, Date.self),
        ])
    }

    @Test func `URLs and decimal numbers are stored as JSON text`() throws {
        let url = try #require(URL(string: "https://e.com/a"))
        try expect(url, storedAs: .string(#""https:\/\/e.com\/a""#))
        let decimal = try #require(Decimal(string: "1.1"))
        try expect(decimal, storedAs: .string("1.1"))
        // As `changeForm(to: .native)` leaves them.
        try expect(url, readFrom: "https://e.com/a")
        try expect(decimal, readFrom: 1.1)
        expectUnreadable([(true, URL.self), ("x", Decimal.self)])
    }

    @Test func `UUIDs are stored without quotes and read with or without them`() throws {
        let text = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        let uuid = try #require(UUID(uuidString: text))
        try expect(uuid, storedAs: .string(text))
        try expect(uuid, readFrom: .string("\"\(text)\""))
        expectUnreadable([("\"", UUID.self), ("\"\"", UUID.self)])
    }

    @Test func `Ranges are stored as native bounds and also read from JSON text`() throws {
        try expect(1..<5, storedAs: .array([.int(1), .int(5)]))
        try expect(UInt64.max...UInt64.max, storedAs: .array([.unsigned(.max), .unsigned(.max)]))
        try expect(1..<5, readFrom: "[1,5]")
        try expect(1...5.5, readFrom: "[1,5.5]")
        let dates = Date(timeIntervalSinceReferenceDate: 0)...Date(timeIntervalSinceReferenceDate: 1)
        try expect(dates, storedAs: .array([.date(dates.lowerBound), .date(dates.upperBound)]))
        expectUnreadable([
            ([5, 1], Range<Int>.self), ("[5,1]", ClosedRange<Int>.self), ([1], Range<Int>.self),
            ([.double(.nan), 1.0], Range<Double>.self),
        ])
        expectUnreadable(.array([.int(1), .string("5")]), as: Range<Int>.self, at: "[1]")
    }
}

@Suite("Containers in a suite") struct ContainerCodingTests {
    @Test func `Arrays, sets and dictionaries are stored natively at every depth`() throws {
        try expect(["a", "b/c"], storedAs: ["a", "b/c"])
        try expect([[1], [2, 3], []], storedAs: [[1], [2, 3], []])
        try expect(["a": [1], "b": []], storedAs: ["a": [1], "b": []])
        try expect([["a": 1]], storedAs: [["a": 1]])
        try expect([Set(["only"])], storedAs: [["only"]])
        try expect(Set([Int.max]), storedAs: [.int(.max)])
        try expect(["a": ["b": ["c": Set([1.5])]]], storedAs: ["a": ["b": ["c": [1.5]]]])
        try expect(Set([1, 2]), readFrom: [1, 1, 2])
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
        MoltError.thrown { try read([Int: Int].self, from: ["5": 1, "+5": 2]) }
        expectUnstorable([1, nil, 3] as [Int?])
        expectUnstorable(["a": nil] as [String: Int?])
    }
}

enum Level: Int, SettingValue, SettingDictionaryKey {
    case low = 1
    case high = 2
}
