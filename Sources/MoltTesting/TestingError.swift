public import Foundation

/// What the testing kit itself could not do, or has found wrong: the code, and a text to read.
///
/// Unlike the errors of the library it shows values: those of fixtures are no user's.
public struct TestingError: Error, Sendable {
    /// The kinds of failure; new ones may be added, so switch over them with a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String

        /// The code's stable text.
        public var description: String { rawValue }

        /// Creates a code from its stable text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A file is not a fixture, or not one that this release can read.
        public static let malformedFixture = Code(rawValue: "malformedFixture")
        /// A fixture cannot be used in that way.
        public static let unsuitable = Code(rawValue: "unsuitable")
        /// A file cannot be read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// A file cannot be written.
        public static let unwritable = Code(rawValue: "unwritable")
        /// A file is there already, and is not overwritten unasked.
        public static let fileExists = Code(rawValue: "fileExists")
        /// A file is not there, or not as it would be recorded, and the run was not told to record it.
        public static let notRecorded = Code(rawValue: "notRecorded")
        /// A file has shipped, and must stay as it is.
        public static let shipped = Code(rawValue: "shipped")
        /// A file was written in this run, and nothing was checked.
        public static let recorded = Code(rawValue: "recorded")
        /// A store is not as it was expected.
        public static let different = Code(rawValue: "different")
        /// A type changed, and the schema version did not.
        public static let schemaDrift = Code(rawValue: "schemaDrift")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What is wrong, where, and what to do; it may have several lines.
    public var message: String
    /// The file that it is about.
    public var file: URL?
    /// What was thrown further down.
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
    /// The file, the message, and what was thrown further down.
    public var description: String {
        let place = file.map { "\($0.path): " } ?? ""
        return place + message + (underlying.map { "\n  \($0)" } ?? "")
    }

    /// As ``description``.
    public var errorDescription: String? { description }
}
