import MoltFuzz
import Testing

/// A small part of the inputs that `swift run -c release MoltFuzz` tries by the million.
@Suite(.serialized) struct `Fuzzing of the readers` {
    @Test(arguments: FuzzTarget.allCases)
    func `Each reader accepts or rejects several hundred mutated inputs without a failure`(target: FuzzTarget) async {
        // A command opens the file several times. Beside other tests, an input may have to wait for a core.
        let result = await FuzzRun(target, seed: 7).run(0..<(target == .tool ? 50 : 300), limit: nil)
        #expect(result.failures.isEmpty, "\(result.failures.prefix(3))")
        #expect(result.accepted > 0)
    }

    @Test func `The seed and the number determine an input`() {
        let run = FuzzRun(.json, seed: 3)
        #expect(run.input(17) == FuzzRun(.json, seed: 3).input(17))
        #expect(run.input(17) != run.input(18))
    }
}
