public import Foundation
package import MoltCore

/// What went wrong with a suite or with a value in it: a code to act on and a message that says what to do.
///
/// No description of this error holds a value, or the key of a dictionary inside one: `description`,
/// `debugDescription` and `errorDescription` say of the underlying error what kind it is, and no more. The settings'
/// own keys are named, and so are properties of Codable types.
///
/// ```swift
/// do {
///     try Suite.standard.set(value, forKey: "theme")
/// } catch let error as DefaultsError where error.code == .unreadable {
///     askForTheFile(error.path)
/// }
/// ```
public struct DefaultsError: Error, Sendable {
    /// What kind of failure it is.
    public var code: Code
    /// What happened, to which thing, why, and what to do, in full sentences.
    public var message: String
    /// The suite, by the name of its domain.
    public var suite: String?
    /// The suite's file, where the platform keeps one that may be looked at.
    public var path: String?
    /// The key, or several of them.
    public var key: String?
    /// The place inside the value, as in `[2].name`; nil for the value itself.
    ///
    /// Its own description, and those of the error, do not show the keys of dictionaries.
    public var place: ValuePlace?
    /// What was thrown further down.
    ///
    /// - Important: It may hold a value; do not log it where users' data must not go.
    public var underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What kind of failure it is.
    ///   - message: Full sentences: what happened and what to do. Never a value.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The kinds of failure; new ones may be added, so switch over them with a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String

        /// The code's stable text.
        public var description: String { rawValue }

        /// Creates a code from its stable text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There can be no suite of that name, or this app may not use it.
        public static let invalidSuite = Code(rawValue: "invalidSuite")
        /// The value is of a type that no suite can hold, or the platform would not give it back as it was.
        public static let cannotStore = Code(rawValue: "cannotStore")
        /// A value cannot be read as the type asked for; what is stored stays.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        /// The suite's file is no property list, or holds what no suite can hold; it was not changed.
        public static let unreadable = Code(rawValue: "unreadable")
        /// A newer release of Molt wrote the ledger of the suite, in a form that this one cannot read.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The suite's file, or its directory, may not be used.
        public static let noPermission = Code(rawValue: "noPermission")
        /// The suite cannot be written: no place for its file, or a volume that is full or can only be read.
        public static let notWritable = Code(rawValue: "notWritable")
        /// Another process, or thread, has been changing the suite for too long; it may have been stopped in that.
        public static let busy = Code(rawValue: "busy")
        /// The suite was written, and did not give back what was written.
        public static let readBackFailed = Code(rawValue: "readBackFailed")
    }
}

extension DefaultsError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
    /// One line: the code, the message, the place, and the underlying error without its values.
    public var description: String {
        errorText.line
    }

    /// A tree: the code, then one line for each thing that is known, the underlying error below.
    public var debugDescription: String {
        errorText.tree
    }

    /// The message.
    public var errorDescription: String? { message }
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
    /// The same error with the key that it is about.
    package func at(key: String) -> DefaultsError {
        var error = self
        error.key = key
        return error
    }

    /// The same error about something that is a step further inside the value.
    func inside(_ step: ValuePlace.Step) -> DefaultsError {
        var error = self
        error.place = ValuePlace([step] + (place?.steps ?? []))
        return error
    }

    /// Runs a closure that is about something a step inside the value, so that its error says so.
    static func inside<Found>(
        _ step: ValuePlace.Step,
        _ body: () throws(DefaultsError) -> Found
    ) throws(DefaultsError) -> Found {
        do {
            return try body()
        } catch {
            throw error.inside(step)
        }
    }

    /// The same error with the suite that it is about.
    package func of(suite: Suite) -> DefaultsError {
        var error = self
        error.suite = suite.domainName
        return error
    }
}
