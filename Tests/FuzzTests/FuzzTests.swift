import MoltFuzz
import Testing

/// A few of the inputs that `swift run -c release MoltFuzz` tries by the million.
@Suite(.serialized) struct `Readers of what they did not write stand every input` {
    @Test(arguments: FuzzTarget.allCases)
    func `Some hundred each`(target: FuzzTarget) {
        let result = FuzzRun(target, seed: 7).run(0..<700)
        #expect(result.failures.isEmpty, "\(result.failures.prefix(3))")
        #expect(result.accepted > 0)
    }

    @Test func `An input is the same for its seed and number`() {
        let run = FuzzRun(.json, seed: 3)
        #expect(run.input(17) == FuzzRun(.json, seed: 3).input(17))
        #expect(run.input(17) != run.input(18))
    }
}
