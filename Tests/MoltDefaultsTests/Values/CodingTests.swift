import Foundation
import Testing

@testable import Molt

@Suite struct `Typed JSON encoding of values` {
    @Test func `Every value is decoded exactly`() throws {
        var values = `Values from UserDefaults`.values
        values["fraction"] = .date(Date(timeIntervalSinceReferenceDate: 642_000_000.123456789))
        values["minus infinity"] = [.double(-.infinity), .date(.distantPast)]
        let bytes = try JSONEncoder().encode(values)
        #expect(try JSONDecoder().decode([String: PropertyListValue].self, from: bytes) == values)
    }

    @Test func `A zero keeps its sign`() throws {
        let bytes = try JSONEncoder().encode([PropertyListValue.double(-0.0)])
        let zero = try JSONDecoder().decode([PropertyListValue].self, from: bytes).first?.double
        #expect(zero?.sign == .minus)
    }

    @Test func `The encoding is stable`() throws {
        let value: PropertyListValue = [
            "a", true, 1, .unsigned(.max), 1.0, .double(.nan), .date(Date(timeIntervalSinceReferenceDate: 0.25)),
            .data(Data([1])), ["userName": .int(.min)],
        ]
        let text = """
            ["a",true,{"int":1},{"unsigned":18446744073709551615},{"double":1},{"double":"nan"},{"date":0.25},\
            {"data":"AQ=="},{"dictionary":{"userName":{"int":-9223372036854775808}}}]
            """
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.dataEncodingStrategy = .deferredToData
        encoder.keyEncodingStrategy = .convertToSnakeCase
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode(PropertyListValue.self, from: Data(text.utf8)) == value)
    }

    @Test func `Values nested as deep as a suite allows are encoded`() throws {
        let value = (1..<200).reduce([]) { (inner: PropertyListValue, _) in ["a": inner] }
        try value.checkStorable()
        #expect(try JSONDecoder().decode(PropertyListValue.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test(arguments: [
        "null", "1", "{}", #"{"int":"x"}"#, #"{"data":"?"}"#, #"{"double":"x"}"#, #"{"int":1,"date":1}"#,
        #"{"other":1}"#, "[null]",
    ])
    func `Invalid text is refused`(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(PropertyListValue.self, from: Data(text.utf8))
        }
    }
}
