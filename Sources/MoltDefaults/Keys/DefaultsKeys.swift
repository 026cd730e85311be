import Foundation
import Synchronization

/// The name of a setting and how its value stands there.
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
    // Unchecked only because a class that has a subclass cannot be checked: all that this one and `DefaultsKey` store
    // are constants of Sendable types, and no other module can add a subclass.

    /// The key in the suite.
    public let name: String
    /// How the value stands there.
    public let form: DefaultsForm

    init(name: String, form: DefaultsForm) {
        self.name = name
        self.form = form
    }

    /// A key whose type is not at hand.
    ///
    /// ```swift
    /// .key("timeZones", .array(of: .codable))
    /// ```
    public static func key(_ name: String, _ form: DefaultsForm) -> DefaultsKeys {
        DefaultsKeys(name: name, form: form)
    }
}

extension DefaultsKeys {
    /// What is told of an error that a subscript, which cannot throw, ran into.
    public typealias FailureHandler = @Sendable (any Error) -> Void

    /// Who is told when `suite[.key]` could not read or set a value; writes a line to the standard error at first.
    ///
    /// It is called on the thread that used the subscript. A value that cannot be read is told of at each reading.
    public static var onFailure: FailureHandler {
        get { failureHandler.withLock { $0 } }
        set { failureHandler.withLock { $0 = newValue } }
    }

    private static let failureHandler = Mutex<FailureHandler> { error in
        // `write(_:)` ends the process when the standard error is closed.
        try? FileHandle.standardError.write(contentsOf: Data("Molt: \(error)\n".utf8))
    }
}
