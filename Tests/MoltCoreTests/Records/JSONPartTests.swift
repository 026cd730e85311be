import Testing

@testable import Molt

@Suite("Parts of JSON text")
struct JSONPartTests {
    @Test
    func `Parts keep their characters`() throws {
        let part = try JSONPart(" [ 1.10, {\"a\" : \"\\u0041\\/\"} ,\"x\",[ ],{ }, true,false,null ]\n")
        let elements = try #require(part.elements)
        #expect(
            elements.map(\.text) == [
                "1.10", "{\"a\" : \"\\u0041\\/\"}", "\"x\"", "[ ]", "{ }", "true", "false", "null",
            ]
        )
        #expect(elements.map(\.kind) == [.number, .object, .string, .array, .object, .bool, .bool, .null])
        #expect(elements.map(\.bool) == [nil, nil, nil, nil, nil, true, false, nil])
        #expect(elements.map(\.string) == [nil, nil, "x", nil, nil, nil, nil, nil])
        #expect(elements[0].utf8 == Array("1.10".utf8))
        #expect(elements[3].elements?.isEmpty == true)
        #expect(elements[4].properties?.isEmpty == true)
        #expect(elements[1].elements == nil)
        let properties = try #require(elements[1].properties)
        #expect(properties.map(\.name) == ["a"])
        #expect(properties[0].value.string == "A/")
        #expect(elements[3].properties == nil)
    }

    @Test
    func `The last of two properties with the same name counts, at the place of the first`() throws {
        let properties = try #require(try JSONPart(#"{"a":1,"b":2,"\u0061":3}"#).properties)
        #expect(properties.map(\.name) == ["a", "b"])
        #expect(properties.map(\.value.text) == ["3", "2"])
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd, 0), ("[1", .unexpectedEnd, 2), ("[1],[2]", .trailingBytes, 3),
            ("[1,]", .unexpectedByte, 3), ("{1:2}", .unexpectedByte, 1),
        ] as [(String, JSONSyntaxError.Reason, Int)]
    )
    func `Text that is not JSON is refused`(text: String, reason: JSONSyntaxError.Reason, offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONPart(text) }
        #expect(error?.reason == reason)
        #expect(error?.offset == offset)
    }
}
