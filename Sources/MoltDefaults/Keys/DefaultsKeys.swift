import Foundation
import MoltCore

/// A setting's name and the form of its value.
///
/// An app lists its keys in an extension; each is a ``DefaultsKey``:
///
/// ```swift
/// extension DefaultsKeys {
///     static let tags = DefaultsKey<[String]>("tags", default: [])
///     static let period = DefaultsKey<Period?>("period")
/// }
/// ```
public class DefaultsKeys: @unchecked Sendable {
    // Unchecked only because a class with a subclass cannot be checked: all stored properties of this class and of
    // `DefaultsKey` are constants of Sendable types, and no other module can add a subclass.

    /// The setting's key in the suite.
    public let name: String
    /// The form of the value.
    public let form: DefaultsForm

    init(name: String, form: DefaultsForm) {
        self.name = name
        self.form = form
    }

    /// Creates a key for a value whose type is not available.
    ///
    /// ```swift
    /// .key("timeZones", .array(of: .codable))
    /// ```
    public static func key(_ name: String, _ form: DefaultsForm) -> DefaultsKeys {
        DefaultsKeys(name: name, form: form)
    }
}

extension DefaultsKeys {
    /// Called when `suite[.key]` could not read or set a value; writes a line to standard error by default.
    ///
    /// It is called on the thread that used the subscript. An unreadable value is reported at each read.
    public static var onFailure: @Sendable (any Error) -> Void {
        get { failureHandler.withLock { $0 } }
        set { failureHandler.withLock { $0 = newValue } }
    }

    private static let failureHandler = Locked<@Sendable (any Error) -> Void> { error in
        // `write(_:)` terminates the process if standard error is closed.
        try? FileHandle.standardError.write(contentsOf: Data("Molt: \(error)\n".utf8))
    }
}
