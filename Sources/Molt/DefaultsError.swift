public import Foundation

/// An error about a suite or one of its values, with a code to act on and a message that says what to do.
///
/// No description of the error contains a value or the key of a dictionary inside one: `description`,
/// `debugDescription` and `errorDescription` give only the kind of the underlying error. They do name the settings'
/// own keys and the properties of Codable types.
/// ```swift
/// do {
///     try Suite.standard.set(value, forKey: "theme")
/// } catch let error as DefaultsError where error.code == .unreadable {
///     askForTheFile(error.path)
/// }
/// ```
public struct DefaultsError: Error, Sendable {
    /// The kind of failure.
    public var code: Code
    /// Full sentences that say what happened, to which thing, why, and what to do.
    public var message: String
    /// The domain name of the suite.
    public var suite: String?
    /// The path of the suite's file, on platforms where apps may access it.
    public var path: String?
    /// The key, or a list of several keys.
    public var key: String?
    /// The place inside the value, such as `[2].name`; nil for the whole value.
    ///
    /// Descriptions of the place and of the error omit the keys of dictionaries.
    package var place: ValuePlace?
    /// The error that caused this one.
    ///
    /// - Important: It may contain a value. Do not log it where users' data must not go.
    public var underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: Full sentences that say what happened and what to do, without any value.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The kinds of failure; later releases may add some, so switch over them with a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The code's stable name.
        public let rawValue: String

        /// The code's stable name.
        public var description: String { rawValue }

        /// Creates a code from its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The suite's name is invalid, or this app may not use the suite.
        public static let invalidSuite = Code(rawValue: "invalidSuite")
        /// A suite cannot hold a value of this type, or the platform would not return the value unchanged.
        public static let cannotStore = Code(rawValue: "cannotStore")
        /// A value cannot be read as the requested type; the stored value is unchanged.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        /// The suite's file is not a property list, or contains values that no suite can hold; it is unchanged.
        public static let unreadable = Code(rawValue: "unreadable")
        /// A newer release of Molt wrote the suite's ledger in a format that this release cannot read.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The app may not access the suite's file or its directory.
        public static let noPermission = Code(rawValue: "noPermission")
        /// The suite cannot be written: its file has no location, or the volume is full or read-only.
        public static let notWritable = Code(rawValue: "notWritable")
        /// The suite did not return the values that were just written to it.
        public static let readBackFailed = Code(rawValue: "readBackFailed")
    }
}

extension DefaultsError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
    /// One line: the code, the message, the place, and the kind of the underlying error.
    public var description: String {
        errorText.line
    }

    /// A tree: the code, one line for each known detail, and the underlying error.
    public var debugDescription: String {
        errorText.tree
    }

    /// The message.
    public var errorDescription: String? { ErrorSummary.oneLine(message) }
}

extension DefaultsError: CustomReflectable {
    /// The same as the description, so that a dump shows no values either.
    public var customMirror: Mirror { errorText.mirror(of: self) }
}

extension DefaultsError: DescribedError {
    package var errorText: ErrorText {
        let details = [("suite", suite), ("path", path), ("key", key), ("place", place?.description)]
        return ErrorText(
            type: "DefaultsError",
            code: code.rawValue,
            message: message,
            details: details.compactMap { label, text in text.map { (label: label, text: $0) } },
            underlying: underlying
        )
    }
}

extension DefaultsError {
    package func at(key: String) -> DefaultsError {
        var error = self
        error.key = key
        return error
    }

    /// A copy of the error whose place is prefixed with a step.
    func inside(_ step: ValuePlace.Step) -> DefaultsError {
        var error = self
        error.place = ValuePlace([step] + (place?.steps ?? []))
        return error
    }

    package func of(suite: Suite) -> DefaultsError {
        var error = self
        error.suite = suite.domainName
        return error
    }
}
