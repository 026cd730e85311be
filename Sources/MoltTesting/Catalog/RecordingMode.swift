internal import Foundation

/// Whether a run records its results as expectations for later runs.
///
/// By default nothing is written. A run that has written a file fails and names it, so that recording is always
/// noticed. By default, the environment variable `MOLT_RECORD` decides.
public enum RecordingMode: String, Hashable, Sendable, CaseIterable {
    /// Nothing is written; missing files are failures.
    case never
    /// Missing files are written; existing files stay unchanged.
    case missing
    /// Missing files are written, and files of the newest version are overwritten, unless it is sealed.
    ///
    /// Nothing is written while a version below the newest one is not sealed; see ``unsealed``.
    case all
    /// Missing files are written, and all files of versions that are not sealed are overwritten.
    case unsealed = "all,unsealed"

    /// Whether files that exist may be overwritten.
    var overwrites: Bool { self == .all || self == .unsealed }

    /// The name of the environment variable that sets the mode: `MOLT_RECORD`.
    package static let variable = "MOLT_RECORD"

    /// The mode set by the environment: `missing`, `all` or `all,unsealed`; ``never`` if the variable is not set or
    /// empty.
    ///
    /// ```
    /// MOLT_RECORD=missing swift test
    /// ```
    ///
    /// - Throws: ``TestingError`` for any other value.
    package static func fromEnvironment(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> RecordingMode {
        guard let text = environment[variable], !text.isEmpty else { return .never }
        guard let mode = RecordingMode(rawValue: text) else {
            throw TestingError(
                .unsuitable,
                "\(variable) is \"\(text)\". It can be `missing`, which writes the files that are missing, `all`, which "
                    + "also writes those of the newest version again, or `all,unsealed`, which writes those of all "
                    + "versions again that are not sealed."
            )
        }
        return mode
    }
}
