/// An error of a command; the message is shown as it is.
struct CommandError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
