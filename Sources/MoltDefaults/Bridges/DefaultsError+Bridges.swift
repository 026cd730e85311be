extension DefaultsError {
    /// The error for something stored that is not what its type asks for.
    ///
    /// - Parameter expected: What it should be: "an integer that fits UInt8".
    package static func mismatch(_ expected: String, at place: ValuePlace? = nil) -> DefaultsError {
        var error = DefaultsError(
            .typeMismatch,
            "What is stored is not \(expected). It stays as it is: convert it in a migration, or set another value."
        )
        error.place = place
        return error
    }

    /// The error for a value that its type's form cannot hold.
    ///
    /// - Parameter fault: What is wrong with it, and what to do.
    static func unstorable(_ fault: String, at place: ValuePlace? = nil) -> DefaultsError {
        var error = DefaultsError(.cannotStore, fault)
        error.place = place
        return error
    }

    /// Runs a conversion of something inside a value, so that its error says where that is.
    ///
    /// - Parameters:
    ///   - step: The way to it.
    ///   - code: What an error that a bridge of the app throws is.
    static func within<Value>(
        _ step: ValuePlace.Step,
        _ code: Code,
        _ convert: () throws -> Value
    ) throws(DefaultsError) -> Value {
        do {
            return try convert()
        } catch {
            throw wrapping(error, as: code).inside(step)
        }
    }

    /// The error itself; one of another type, which a bridge of the app threw, as the cause of an error of ours.
    static func wrapping(_ error: any Error, as code: Code) -> DefaultsError {
        error as? DefaultsError
            ?? DefaultsError(code, "The bridge of the value's type failed; see what it threw.", underlying: error)
    }
}
