import MoltTesting
import Testing

@Suite("Recording modes")
struct RecordingModeTests {
    @Test(arguments: [
        ([:], RecordingMode.never), (["MOLT_RECORD": ""], .never), (["MOLT_RECORD": "missing"], .missing),
        (["MOLT_RECORD": "all"], .all), (["OTHER": "all"], .never),
    ])
    func `The environment sets the recording mode`(environment: [String: String], mode: RecordingMode) throws {
        #expect(try RecordingMode.fromEnvironment(environment) == mode)
    }

    @Test(arguments: ["1", "true", "All", "missing "])
    func `Any other value is an error that names the allowed ones`(text: String) throws {
        let error = try #require(throws: TestingError.self) {
            try RecordingMode.fromEnvironment(["MOLT_RECORD": text])
        }

        #expect(error.code == .unsuitable)
        #expect(error.message.contains("MOLT_RECORD is \"\(text)\""))
        #expect(error.message.contains("`missing`"))
        #expect(error.message.contains("`all`"))
    }
}
