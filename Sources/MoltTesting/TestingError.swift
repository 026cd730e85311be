public import Foundation

/// A failure of the testing kit, or a problem it has found, with a code and a message.
///
/// Unlike the library's errors it shows values, because fixtures contain no user data.
public struct TestingError: Error, Sendable {
    /// The kinds of failure; later releases may add some, so switch over them with a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name.
        public let rawValue: String

        /// The code's stable name.
        public var description: String { rawValue }

        /// Creates a code from its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A file is not a fixture, or its format is not supported by this release.
        public static let malformedFixture = Code(rawValue: "malformedFixture")
        /// A fixture cannot be used for this purpose.
        public static let unsuitable = Code(rawValue: "unsuitable")
        /// A file cannot be read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// A file cannot be written.
        public static let unwritable = Code(rawValue: "unwritable")
        /// A file already exists, and overwriting was not requested.
        public static let fileExists = Code(rawValue: "fileExists")
        /// A file is missing or outdated, and the run was not told to record it.
        public static let notRecorded = Code(rawValue: "notRecorded")
        /// A file belongs to a shipped version and must not change.
        public static let shipped = Code(rawValue: "shipped")
        /// A file was written in this run, so nothing was checked.
        public static let recorded = Code(rawValue: "recorded")
        /// A store differs from the expected one.
        public static let different = Code(rawValue: "different")
    }

    /// The kind of failure.
    public var code: Code
    /// The problem, its place and what to do; may have several lines.
    public var message: String
    /// The file concerned.
    public var file: URL?
    /// The error that caused this one.
    public var underlying: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, file: URL? = nil, underlying: (any Error)? = nil) {
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
