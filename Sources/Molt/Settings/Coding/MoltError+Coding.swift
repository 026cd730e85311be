extension MoltError {
    /// The error for a stored value that is not what was expected, such as "an integer that fits UInt8".
    static func mismatch(_ expected: String) -> MoltError {
        unusable("is not \(expected)")
    }

    /// The error for a stored value that cannot be used.
    ///
    /// - Parameter fault: The end of a sentence that begins with "The stored value", such as "lacks a property".
    static func unusable(_ fault: String) -> MoltError {
        MoltError(
            .typeMismatch,
            "The stored value \(fault).",
            advice: "Convert it in a migration, or set another value."
        )
    }

    /// Runs a conversion of a part of a value, and adds the part's place to its error.
    ///
    /// - Parameter code: The code for other errors than ``MoltError``, which a custom coding may throw.
    static func within<Value>(
        _ step: ValuePath.Step,
        _ code: Code,
        _ convert: () throws -> Value
    ) throws(MoltError) -> Value {
        do {
            return try convert()
        } catch {
            throw wrapping(error, as: code).inside(step)
        }
    }

    /// The error itself if it is a ``MoltError``; else one with the custom coding's error as the underlying error.
    static func wrapping(_ error: any Error, as code: Code) -> MoltError {
        error as? MoltError
            ?? MoltError(code, "The coding of the value failed; see the underlying error.", underlying: error)
    }
}
