import Generators
import Molt
import TestSupport
import Testing

@Suite struct `Record values` {
    @Test func `Literals make the corresponding values`() throws {
        let name = "Ada"
        let values: [(RecordValue, RecordValue)] = [
            ("Ada", .string("Ada")), ("\(name)!", .string("Ada!")), (36, .int(36)), (true, .bool(true)),
            (["a", 1, .null], .array([.string("a"), .int(1), .null])),
        ]
        for (literal, value) in values { #expect(literal == value) }
        #expect(-1.5 as RecordValue == .double(-1.5))
        let object: RecordValue = ["b": 1, "a": ["c": false], "b": 2]
        #expect(String(decoding: try object.json(), as: UTF8.self) == #"{"b":1,"a":{"c":false},"b":2}"#)
    }

    @Test func `Each kind of value returns its content for its own type only`() {
        let values: [(RecordValue, String)] = [
            (.null, "null"), (true, "a Boolean"), (1, "a number"), ("x", "a string"), ([], "an array"),
            ([:], "an object"),
        ]
        for (value, kind) in values {
            #expect(value.kind == kind)
            let isKind = [
                value.isNull, value.bool != nil, value.number != nil, value.string != nil, value.array != nil,
                value.object != nil,
            ]
            let expected = values.map { $0.1 == kind }
            #expect(isKind == expected, "\(kind)")
        }
    }

    @Test func `An object is the same value in any order`() {
        let size: RecordValue = ["width": 1, "height": ["a": 1, "b": [["c": 2, "d": .null]]]]
        let same: RecordValue = ["height": ["b": [["d": .null, "c": 2]], "a": 1], "width": 1]
        #expect(size == same)
        #expect(Set([size, same]).count == 1)
        // Comparing takes no time that grows with the power of the depth.
        func tree(_ leaf: Int) -> RecordValue {
            (0..<200).reduce(.int(leaf)) { tree, _ in ["a": tree, "b": 1] }
        }
        // The last of two properties with one name is the one that is read.
        #expect(["a": 1, "b": 3, "a": 2] as RecordValue == ["b": 3, "a": 2])
        let others: [(RecordValue, RecordValue)] = [
            (size, ["width": 1]), (size, ["width": 2, "height": size.object?["height"] ?? .null]), ([1, 2], [2, 1]),
            (["\u{E9}": 1], ["e\u{301}": 1]), (tree(1), tree(2)),
        ]
        for (value, other) in others { #expect(value != other) }
    }

    @Test(arguments: 0..<TestRun.choose(2, long: 8))
    func `A random value is read back unchanged`(seed: Int) throws {
        var generator = SeededGenerator(seed: 3_000 + UInt64(seed))
        for _ in 0..<200 {
            let text = RandomObject(using: &generator).text
            let value = try RecordValue(json: text.utf8)
            let written = try value.json()
            let again = try RecordValue(json: written)
            #expect(again == value)
            #expect(again.hashValue == value.hashValue)
            #expect(try again.json() == written)
        }
    }

    @Test func `A value nested deeper than 512 levels is refused when it is written`() throws {
        let deepest = (0..<512).reduce(1 as RecordValue) { value, level in
            level % 2 == 0 ? [value] : ["a": value]
        }
        let json = try deepest.json()
        #expect(try RecordValue(json: json) == deepest)
        for deeper: RecordValue in [[deepest], ["x": deepest], [1, ["x": deepest]]] {
            let error = #expect(throws: JSONSyntaxError.self) { try deeper.json() }
            #expect(error?.reason == .tooDeep)
        }
    }

    @Test func `Infinities and NaN have no record value`() {
        let doubles: [Double] = [.infinity, -.infinity, .nan]
        #expect(doubles.allSatisfy { RecordValue.double($0) == nil })
    }
}

@Suite struct `Record numbers` {
    @Test func `A number keeps its text`() throws {
        for text in ["0", "-0", "1.0", "18446744073709551616", "1e9999", "-12.50E-007", "0.10"] {
            let number = try #require(RecordValue.Number(text: text))
            #expect(number.description == text)
            #expect(try RecordValue.number(number).json() == Array(text.utf8))
            #expect(try RecordValue(json: text.utf8) == .number(number))
        }
        #expect(RecordValue.Number(text: "1") == 1)
        #expect(RecordValue.Number(text: "1.0") != 1)
    }

    @Test func `Text that is not a JSON number gives nil`() {
        for text in [
            "", " ", "01", "+1", "1.", ".5", "1e", "0x1", "NaN", "Infinity", "1 ", " 1", "1,2", "\"1\"", "true", "-",
            "[1]", "1\u{0}", "\u{FF11}", "1_000", "--1",
        ] {
            #expect(RecordValue.Number(text: text) == nil)
        }
    }

    @Test func `Integers and doubles keep their values`() throws {
        let (three, minusZero) = (3.0, -0.0)
        let numbers: [RecordValue.Number?] = [
            RecordValue.Number(UInt64.max), RecordValue.Number(three), RecordValue.Number(minusZero),
        ]
        let texts = numbers.map { $0?.text }
        #expect(texts == ["18446744073709551615", "3", "-0"])
        let doubles = [
            0.1, 1e16, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.pi, 1e22, 123_456_789.125, 1.5,
        ]
        for double in doubles {
            let number = try #require(RecordValue.Number(double))
            #expect(number.double == double)
            #expect(RecordValue.Number(text: number.text) == number)
        }
    }

    @Test func `A number is an integer of the types that it fits`() throws {
        func number(_ text: String) throws -> RecordValue.Number { try #require(RecordValue.Number(text: text)) }
        #expect(try number("1e400").double == nil)
        let integers: [Int?] = try [
            number("1e400").integer(), number("1.0").integer(), number("18446744073709551615").integer(),
            number("-9223372036854775808").integer(),
        ]
        #expect(integers == [nil, nil, nil, Int.min])
        #expect(try number("18446744073709551615").integer(UInt64.self) == .max)
        #expect(try number("256").integer(UInt8.self) == nil)
        #expect(try number("255").integer(UInt8.self) == 255)
        #expect(try number("-1").integer(UInt.self) == nil)
    }
}

@Suite struct `Record objects` {
    @Test func `Reading and setting use the last property with a name, and setting nil removes all`() {
        var object: RecordValue.Object = ["a": 1, "b": 2, "a": 3]
        #expect(object["a"] == 3)
        object["a"] = 4
        #expect(object == ["a": 1, "b": 2, "a": 4])
        object["c"] = 5
        #expect(object["x"] == nil)
        object["x"] = nil
        object["a"] = nil
        #expect(object == ["b": 2, "c": 5])
        #expect(object.properties.last?.name == "c")
    }

    @Test func `Names are compared by their bytes`() {
        var object: RecordValue.Object = ["\u{E9}": 1]
        #expect(object["e\u{301}"] == nil)
        object["e\u{301}"] = 2
        #expect(object.properties.count == 2)
        object["\u{E9}"] = nil
        #expect(object["e\u{301}"] == 2)
        #expect(object["\u{E9}"] == nil)
    }
}
