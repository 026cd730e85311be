import Testing

@testable import Molt

@Suite struct `A place inside a value` {
    @Test(
        arguments: [
            ([], "", ""),
            ([.index(2)], "[2]", "[2]"),
            ([.key("k"), .index(0), .property("name")], #"["…"][0].name"#, #"["k"][0].name"#),
            ([.property("home"), .property("name"), .key("a.b")], #"home.name["…"]"#, #"home.name["a.b"]"#),
        ] as [([ValuePlace.Step], String, String)]
    )
    func `shows dictionary keys only on request`(steps: [ValuePlace.Step], text: String, full: String) {
        let place = ValuePlace(steps)
        #expect(place.fullDescription == full)
        #expect(place.description == text)
        #expect(String(reflecting: Optional(place)) == "Optional(\(text))")
        var dumped = ""
        dump(place, to: &dumped)
        #expect(!dumped.contains("k\"") && !dumped.contains("a.b"))
    }
}
