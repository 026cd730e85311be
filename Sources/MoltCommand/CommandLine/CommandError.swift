/// An error of a command; the message is shown as it is.
struct CommandError: Error {
    let message: String
    /// The exit code; nil for the command's own.
    let code: Int32?

    init(_ message: String, code: Int32? = nil) {
        self.message = message
        self.code = code
    }
}
