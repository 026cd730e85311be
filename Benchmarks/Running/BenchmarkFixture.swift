/// Files that cases start from: built once per size, in a process of its own, and copied for each run.
struct BenchmarkFixture: Sendable {
    /// The name of the fixture.
    let name: String
    /// Writes the files into the context's directory.
    let build: @Sendable (BenchmarkContext) throws -> Void
}
