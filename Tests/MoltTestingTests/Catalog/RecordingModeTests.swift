import MoltTesting
import Testing

@Suite
struct RecordingModeTests {
    @Test(arguments: [
        ([:], RecordingMode.never), (["MOLT_RECORD": ""], .never), (["MOLT_RECORD": "missing"], .missing),
        (["MOLT_RECORD": "all"], .all), (["OTHER": "all"], .never),
    ])
    func `The environment says what is recorded`(environment: [String: String], mode: RecordingMode) throws {
        #expect(try RecordingMode.fromEnvironment(environment) == mode)
    }

    @Test(arguments: ["1", "true", "All", "missing "])
    func `Any other text is an error that says what is allowed`(text: String) throws {
        let error = try #require(throws: TestingError.self) {
            try RecordingMode.fromEnvironment(["MOLT_RECORD": text])
        }

        #expect(error.code == .unsuitable)
        #expect(error.message.contains("MOLT_RECORD is \"\(text)\""))
        #expect(error.message.contains("`missing`"))
        #expect(error.message.contains("`all`"))
    }
}
