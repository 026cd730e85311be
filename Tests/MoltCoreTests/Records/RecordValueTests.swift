import Generators
import Testing

@testable import Molt

@Suite struct `Record values` {
    @Test func `Literals make the corresponding values`() throws {
        let name = "Ada"
        #expect("Ada" as RecordValue == .string("Ada"))
        #expect("\(name)!" as RecordValue == .string("Ada!"))
        #expect(36 as RecordValue == .int(36))
        #expect(-1.5 as RecordValue == .double(-1.5))
        #expect(true as RecordValue == .bool(true))
        #expect(["a", 1, .null] as RecordValue == .array([.string("a"), .int(1), .null]))
        let object: RecordValue = ["b": 1, "a": ["c": false], "b": 2]
        #expect(object.object?.properties.map(\.name) == ["b", "a", "b"])
        #expect(String(decoding: try object.json(), as: UTF8.self) == #"{"b":1,"a":{"c":false},"b":2}"#)
    }

    @Test func `Each kind of value returns its content for its own type only`() {
        let values: [(RecordValue, String)] = [
            (.null, "null"), (true, "a Boolean"), (1, "a number"), ("x", "a string"), ([], "an array"),
            ([:], "an object"),
        ]
        for (value, kind) in values {
            #expect(value.kind == kind)
            #expect(value.isNull == (kind == "null"))
            #expect((value.bool != nil) == (kind == "a Boolean"))
            #expect((value.number != nil) == (kind == "a number"))
            #expect((value.string != nil) == (kind == "a string"))
            #expect((value.array != nil) == (kind == "an array"))
            #expect((value.object != nil) == (kind == "an object"))
        }
    }

    @Test func `An object is the same value in any order`() {
        let size: RecordValue = ["width": 1, "height": ["a": 1, "b": [["c": 2, "d": .null]]]]
        let same: RecordValue = ["height": ["b": [["d": .null, "c": 2]], "a": 1], "width": 1]
        #expect(size == same)
        #expect(Set([size, same]).count == 1)
        for other: RecordValue in [["width": 1], ["width": 2, "height": size.object?["height"] ?? .null]] {
            #expect(size != other)
        }
        // Comparing takes no time that grows with the power of the depth.
        func tree(_ leaf: Int) -> RecordValue {
            (0..<200).reduce(.int(leaf)) { tree, _ in ["a": tree, "b": 1] }
        }
        #expect(tree(1) != tree(2))
        // The last of two properties with one name is the one that is read.
        #expect(["a": 1, "b": 3, "a": 2] as RecordValue == ["b": 3, "a": 2])
        #expect([1, 2] as RecordValue != [2, 1])
        #expect(["\u{E9}": 1] as RecordValue != ["e\u{301}": 1])
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
        #expect(RecordValue.double(.infinity) == nil)
        #expect(RecordValue.double(-.infinity) == nil)
        #expect(RecordValue.double(.nan) == nil)
        #expect(RecordValue.double(0) == 0)
    }
}

@Suite struct `Record numbers` {
    @Test(arguments: ["0", "-0", "1.0", "18446744073709551616", "1e9999", "-12.50E-007", "0.10"])
    func `A number keeps its text`(text: String) throws {
        let number = try #require(RecordValue.Number(text: text))
        #expect(number.text == text)
        #expect(number.description == text)
        #expect(try RecordValue.number(number).json() == Array(text.utf8))
        #expect(try RecordValue(json: text.utf8) == .number(number))
    }

    @Test(arguments: [
        "", " ", "01", "+1", "1.", ".5", "1e", "0x1", "NaN", "Infinity", "1 ", " 1", "1,2", "\"1\"", "true",
        "-", "[1]",
        "1\u{0}", "\u{FF11}", "1_000", "--1",
    ])
    func `Text that is not a JSON number gives nil`(text: String) {
        #expect(RecordValue.Number(text: text) == nil)
    }

    @Test func `Integers and doubles keep their values`() throws {
        #expect(RecordValue.Number(UInt64.max).text == "18446744073709551615")
        #expect(RecordValue.Number(Int.min).integer() == Int.min)
        let (three, minusZero) = (3.0, -0.0)
        #expect(RecordValue.Number(three)?.text == "3")
        #expect(RecordValue.Number(minusZero)?.text == "-0")
        let doubles = [
            0.1, 1e16, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.pi, 1e22, 123_456_789.125,
        ]
        for double in doubles {
            let number = try #require(RecordValue.Number(double))
            #expect(number.double == double)
            #expect(RecordValue.Number(text: number.text) == number)
        }
    }

    @Test func `A number that does not fit the type is nil`() throws {
        let huge = try #require(RecordValue.Number(text: "1e400"))
        #expect(huge.double == nil)
        #expect(huge.integer() == nil)
        #expect(RecordValue.Number(text: "256")?.integer(UInt8.self) == nil)
        #expect(RecordValue.Number(text: "-1")?.integer(UInt.self) == nil)
        #expect(RecordValue.Number(text: "1.0")?.integer() == nil)
        #expect(RecordValue.Number(text: "255")?.integer(UInt8.self) == 255)
    }

    @Test func `Numbers are equal if their texts are equal`() {
        #expect(RecordValue.Number(text: "1.0") != RecordValue.Number(text: "1"))
        #expect(RecordValue.Number(1) == 1)
        #expect(RecordValue.Number(1.5) == 1.5)
    }
}

@Suite struct `Record objects` {
    @Test func `Reading and setting use the last property with a name, and setting nil removes all`() {
        var object: RecordValue.Object = ["a": 1, "b": 2, "a": 3]
        #expect(object["a"] == 3)
        object["a"] = 4
        #expect(object == ["a": 1, "b": 2, "a": 4])
        object["c"] = 5
        #expect(object.properties.last?.name == "c")
        #expect(object["x"] == nil)
        object["x"] = nil
        object["a"] = nil
        #expect(object == ["b": 2, "c": 5])
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
