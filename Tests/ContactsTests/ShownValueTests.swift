import Molt
import Testing
import contacts

@Suite
struct ShownValueTests {
    private struct Pet: Codable {
        var name: String
        var home: Home?
        var legs: Int
        var tags: [String]
    }

    private struct Home: Codable {
        var city: String
        var room: [String: Int]
    }

    private static let pet = Pet(
        name: #"Rex "the" cat"#,
        home: Home(city: "Wien", room: [:]),
        legs: 4,
        tags: ["a", "b"]
    )

    @Test(arguments: [
        (
            100,
            [#"now Pet {home.city: "Wien", home.room: {}, legs: 4, name: "Rex \"the\" cat", tags: ["a","b"]}"#]
        ),
        (
            44,
            [
                #"now Pet {home.city: "Wien", home.room: {},"#,
                #"    legs: 4, name: "Rex \"the\" cat","#,
                #"    tags: ["a","b"]}"#,
            ]
        ),
        (
            1,
            [
                #"now Pet"#, #"    {home.city: "Wien","#, #"    home.room: {},"#, #"    legs: 4,"#,
                #"    name: "Rex \"the\" cat","#, #"    tags: ["a","b"]}"#,
            ]
        ),
    ])
    func `A value is broken between properties where the line is full`(columns: Int, lines: [String]) throws {
        #expect(try ShownValue(Self.pet).lines(label: "now ", columns: columns) == lines)
    }

    @Test
    func `In one line it is the type's name and the JSON text`() throws {
        let call = try ShownValue(Call(person: "contact/1", seconds: 5))

        #expect("\(call)" == #"Call {"person":"contact/1","seconds":5}"#)
    }
}
