public import Foundation

/// Whether a run writes what it finds as what later runs expect.
///
/// By default nothing is written. A run that has written something fails nevertheless, and says what it wrote: so
/// nobody records without noticing it.
public enum RecordingMode: String, Hashable, Sendable, CaseIterable {
    /// Nothing is written; what is missing is a failure.
    case never
    /// What is missing is written, and nothing that is there is changed.
    case missing
    /// What is missing is written, and what belongs to the newest version is written again.
    case all

    /// The name of the environment variable that sets the mode: `MOLT_RECORD`.
    public static let variable = "MOLT_RECORD"

    /// The mode that the environment asks for: `missing` or `all`; ``never`` when the variable is not set, or empty.
    ///
    /// ```
    /// MOLT_RECORD=missing swift test
    /// ```
    ///
    /// - Throws: ``TestingError`` with the code `unsuitable` for any other text.
    public static func fromEnvironment(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> RecordingMode {
        guard let text = environment[variable], !text.isEmpty else { return .never }
        guard let mode = RecordingMode(rawValue: text) else {
            throw TestingError(
                .unsuitable,
                "\(variable) is \"\(text)\". It can be `missing`, to write the files that there are none of, or `all`, "
                    + "to write those of the newest version again, too."
            )
        }
        return mode
    }
}
