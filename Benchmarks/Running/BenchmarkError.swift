/// Why the benchmark could not go on, in a sentence.
struct BenchmarkError: Error, CustomStringConvertible {
    /// The sentence.
    let description: String

    /// Makes an error from its sentence.
    init(_ description: String) {
        self.description = description
    }
}
