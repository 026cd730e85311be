/// A call that was made, as today's release has it.
package struct Call: Codable, Hashable, Sendable {
    /// The key of the person who was called.
    package var person: String
    /// How long it took.
    package var seconds: Int

    /// Creates a call.
    package init(person: String, seconds: Int) {
        self.person = person
        self.seconds = seconds
    }
}
