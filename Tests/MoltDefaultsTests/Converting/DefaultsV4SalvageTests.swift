import Foundation
import MoltDefaults
import Testing

@Suite("Salvaging settings of Defaults 4")
struct DefaultsV4SalvageTests {
    private let conversion = DefaultsV4Conversion(salvage: true)

    private func setAside(_ steps: [ValuePlace.Step], _ original: String, _ reason: String) -> SetAsideValue.Part {
        SetAsideValue.Part(place: ValuePlace(steps).fullDescription, value: .string(original), reason: reason)
    }

    @Test
    func `Bad elements are set aside with their JSON text`() {
        let outcome = conversion.convert(.string(#"[1, "x" ,3,null,{"a": 1.0}]"#), as: .array(of: .int))
        let expected = "where an integer was expected"
        #expect(
            outcome
                == .converted(
                    .array([.int(1), .int(3)]),
                    setAside: [
                        setAside([.index(1)], "\"x\"", "a string, \(expected)"),
                        setAside([.index(3)], "null", "null, \(expected)"),
                        setAside([.index(4)], "{\"a\": 1.0}", "an object, \(expected)"),
                    ]
                )
        )
    }

    @Test
    func `Bad values and bad keys of a dictionary are set aside`() {
        let outcome = conversion.convert(
            .string(#"[1,[1,2],"x",[3],2,[4,true],9]"#),
            as: .dictionary(key: .of(UInt8.self), of: .array(of: .int))
        )
        #expect(
            outcome
                == .converted(
                    .dictionary(["1": .array([.int(1), .int(2)]), "2": .array([.int(4)])]),
                    setAside: [
                        setAside([.index(6)], "9", "a key without a value"),
                        setAside([.key("x")], "[3]", "its key is not one of the dictionary's type"),
                        setAside([.key("2"), .index(1)], "true", "a Boolean, where an integer was expected"),
                    ]
                )
        )
    }

    @Test
    func `A bad range is set aside as a whole`() {
        let outcome = conversion.convert(.string(#"[[1,2],[3,"x"],[4,5]]"#), as: .array(of: .range(of: .int)))
        #expect(
            outcome
                == .converted(
                    .array([.array([.int(1), .int(2)]), .array([.int(4), .int(5)])]),
                    setAside: [setAside([.index(1)], #"[3,"x"]"#, "a string, where an integer was expected")]
                )
        )
    }

    @Test
    func `Elements of a native container are set aside in their native form`() {
        let outcome = conversion.convert(.array([.int(1), .date(.distantPast)]), as: .array(of: .int))
        let date = SetAsideValue.Part(
            place: "[1]",
            value: .date(.distantPast),
            reason: "a date, where an integer was expected"
        )
        #expect(outcome == .converted(.array([.int(1)]), setAside: [date]))
    }

    @Test(arguments: ["null", "{}", "[1", "", "[1],[2]"])
    func `Text that is not a JSON array is not convertible`(text: String) {
        guard case .notConvertible = conversion.convert(.string(text), as: .array(of: .int)) else {
            Issue.record("converted")
            return
        }
    }

    @Test
    func `A valid value is converted with nothing set aside`() {
        #expect(conversion.convert(.string("[1]"), as: .array(of: .int)) == .converted(.array([.int(1)])))
        #expect(conversion.convert(.array([.int(1)]), as: .array(of: .int)) == .alreadyCurrent)
    }
}
