public import Foundation

/// A failure of the testing kit, or a problem that it has found, in words.
///
/// Unlike the library's errors it shows values, because fixtures contain no user data.
public struct TestingError: Error, Sendable {
    /// The kinds of failure.
    package struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name.
        package let rawValue: String

        /// The code's stable name.
        package var description: String { rawValue }

        /// Creates a code from its stable name.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A file is not a fixture, or its format is not supported by this release.
        package static let malformedFixture = Code(rawValue: "malformedFixture")
        /// A fixture cannot be used for this purpose.
        package static let unsuitable = Code(rawValue: "unsuitable")
        /// A file cannot be read.
        package static let unreadable = Code(rawValue: "unreadable")
        /// A file cannot be written.
        package static let unwritable = Code(rawValue: "unwritable")
        /// A file already exists, and overwriting was not requested.
        package static let fileExists = Code(rawValue: "fileExists")
        /// A file is missing or outdated, and the run was not told to record it.
        package static let notRecorded = Code(rawValue: "notRecorded")
        /// A file belongs to a shipped version and must not change.
        package static let shipped = Code(rawValue: "shipped")
        /// A file was written in this run, so nothing was checked.
        package static let recorded = Code(rawValue: "recorded")
        /// A store differs from the expected one.
        package static let different = Code(rawValue: "different")
    }

    /// The kind of failure.
    package var code: Code
    /// The problem, its place and what to do; may have several lines.
    public package(set) var message: String
    /// The file concerned.
    public package(set) var file: URL?
    /// The error that caused this one.
    public package(set) var underlying: (any Error)?

    /// Creates an error.
    package init(_ code: Code, _ message: String, file: URL? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.file = file
        self.underlying = underlying
    }
}

extension TestingError: CustomStringConvertible, LocalizedError {
    /// The file, the message and the underlying error.
    public var description: String {
        let location = file.map { "\($0.path): " } ?? ""
        return location + message + (underlying.map { "\n  \($0)" } ?? "")
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
