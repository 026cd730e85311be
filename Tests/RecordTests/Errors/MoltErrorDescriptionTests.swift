import Foundation
import Molt
import Testing

@Suite struct `Descriptions of an error` {
    @Test func `The description is one line with all known context`() {
        let error = MoltError(
            .propertyMissing,
            "The record has no property.",
            store: "/tmp/app.molt",
            migration: MigrationID(name: "split", version: 2),
            step: MoltError.StepPosition(number: 1, summary: "transform \"Person\""),
            key: "ada",
            type: "Person",
            property: "name",
            storeVersion: 3,
            registryVersion: 2
        )
        let text =
            "propertyMissing: The record has no property. [store: /tmp/app.molt; "
            + "migration: \"split\" (version 2); step: 1, transform \"Person\"; record: \"ada\" of type Person; "
            + "property: \"name\"; store version: 3; registry version: 2]"
        #expect("\(error)" == text)
        #expect(MoltError(.busy, "Wait.").description == "busy: Wait.")
    }

    @Test func `The debug description is a tree with the underlying errors below`() {
        let syntax = JSONSyntaxError(reason: .unexpectedByte, offset: 1)
        var inner = MoltError(.malformedContent, "Not JSON.", underlying: syntax)
        inner.key = "ada"
        let error = MoltError(.stepFailed, "The step failed.", underlying: inner)
        #expect(
            error.debugDescription == """
                MoltError: stepFailed
                ├─ message: The step failed.
                └─ underlying: MoltError: malformedContent
                   ├─ message: Not JSON.
                   ├─ key: "ada"
                   └─ underlying: JSONSyntaxError: an unexpected byte, at byte 1
                """
        )
        #expect(String(reflecting: error) == error.debugDescription)
    }

    @Test func `The message has the problem, the outcome and the advice, each once`() {
        let cases: [(MoltError.Outcome?, String)] = [
            (nil, "No. Wait."), (.unchanged, "No. Nothing was changed. Wait."),
            (.rolledBack, "No. The upgrade was rolled back; the store is as it was. Wait."),
        ]
        for (outcome, text) in cases {
            let error = MoltError(.busy, "No.", advice: "Wait.", outcome: outcome)
            #expect(error.message == text)
            #expect(error.localizedDescription == text)
            let wrapper = MoltError(.stepFailed, "It failed.", outcome: .rolledBack, underlying: error)
            let all = "It failed. The upgrade was rolled back; the store is as it was. No. Wait."
            #expect(wrapper.errorDescription == all)
            #expect((wrapper as any Error).localizedDescription == all)
        }
    }

    @Test func `Line breaks in a key or a message do not break the line`() {
        var error = MoltError(.stepFailed, "One.\nTwo.")
        error.key = "a\nb\r\u{0}\u{2028}c"
        error.store = "/tmp/x\ny"
        #expect(error.description.split(whereSeparator: \.isNewline).count == 1)
        #expect(error.debugDescription.split(whereSeparator: \.isNewline).count == 4)
        #expect(error.description.hasPrefix("stepFailed: One. Two. "))
    }

    @Test(arguments: [
        (Plain.noPayload as any Error, "Plain.noPayload"), (Plain.payload("s3cret"), "Plain.payload"),
        (Plain.labelled(name: "s3cret", age: 1), "Plain.labelled"), (Describing.oneCase, "Describing"),
        (Mirroring.payload("s3cret"), "Mirroring"), (Structure(value: "s3cret"), "Structure"),
        (Reference(), "Reference"), (CancellationError(), "CancellationError"),
        (NSError(domain: "D", code: 7, userInfo: [NSLocalizedDescriptionKey: "s3cret"]), "NSError D 7"),
        (CocoaError(.fileNoSuchFile, userInfo: ["s3cret": "s3cret"]), "CocoaError 4"),
        (POSIXError(.ENOSPC), "POSIXError 28"),
    ])
    func `An underlying error is shown with its type, an enum with its case`(error: any Error, text: String) {
        let described = MoltError(.stepFailed, "Failed.", underlying: error)
        #expect(described.description == "stepFailed: Failed. [underlying: \(text)]")
        #expect(described.debugDescription.hasSuffix("└─ underlying: \(text)"))
        for text in descriptions(of: described) { #expect(!text.contains("s3cret"), "\(text)") }
    }

    @Test func `A decoding error is shown with its kind and its path`() {
        struct Person: Decodable {
            var name: String
            var tags: [Int]
        }
        let cases: [(String, String)] = [
            (#"{"tags":[]}"#, "keyNotFound at \"name\""),
            (#"{"name":"x","tags":[1,"s3cret"]}"#, "typeMismatch, Int expected at \"tags.1\""),
            (#"{"name":null,"tags":[]}"#, "valueNotFound, String expected at \"name\""),
            (#"{"name":"#, "dataCorrupted"),
        ]
        for (json, text) in cases {
            let error = #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(Person.self, from: Data(json.utf8))
            }
            #expect(described(error) == "DecodingError.\(text)")
        }
    }

    @Test func `An encoding error is shown with its path`() {
        struct Reading: Encodable {
            var ratio: Double
        }
        let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode([Reading(ratio: .nan)]) }
        #expect(described(error) == "EncodingError.invalidValue at \"0.ratio\"")
    }

    @Test func `Dictionary keys are values, so no path shows them, also as an index`() {
        let encoding = #expect(throws: EncodingError.self) { try JSONEncoder().encode(["s3cret": Double.nan]) }
        let decoding = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([String: Int].self, from: Data(#"{"s3cret":"x"}"#.utf8))
        }
        let number = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([String: [Int]].self, from: Data(#"{"4915112345":[0,"x"]}"#.utf8))
        }
        let errors: [((any Error)?, String)] = [(encoding, "…"), (decoding, "…"), (number, "….1")]
        for (error, path) in errors {
            #expect(described(error).hasSuffix(" at \"\(path)\""))
            let text = MoltError(.typeMismatch, "No.", underlying: error).debugDescription
            #expect(!text.contains("s3cret"), "\(text)")
        }
    }

    /// An error as the description of another one shows it.
    private func described(_ error: (any Error)?) -> String {
        let text = MoltError(.typeMismatch, "No.", underlying: error).description
        return String(text.dropFirst("typeMismatch: No. [underlying: ".count).dropLast())
    }
}

private enum Plain: Error {
    case noPayload
    case payload(String)
    case labelled(name: String, age: Int)
}

private enum Describing: Error, CustomStringConvertible {
    case oneCase
    var description: String { "s3cret" }
}

private enum Mirroring: Error, CustomReflectable {
    case payload(String)
    var customMirror: Mirror { Mirror(self, children: ["s3cret": 1], displayStyle: .enum) }
}

private struct Structure: Error, CustomDebugStringConvertible {
    var value: String
    var debugDescription: String { value }
}

private final class Reference: Error, LocalizedError {
    let value = "s3cret"
    var errorDescription: String? { value }
}
