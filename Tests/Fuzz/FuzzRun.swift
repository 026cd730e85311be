import Foundation
import Generators

/// A number of inputs for one reader.
package struct FuzzRun {
    /// What came of it.
    package struct Result {
        /// How many inputs were taken for right.
        package var accepted = 0
        /// What broke a promise, with the command that does it again.
        package var failures: [String] = []
    }

    private let target: FuzzTarget
    private let seed: UInt64
    private let corpus: [[UInt8]]

    package init(_ target: FuzzTarget, seed: UInt64) {
        self.target = target
        self.seed = seed
        corpus = target.corpus
    }

    /// The input of a number: the same for the same seed and number.
    package func input(_ number: Int) -> [UInt8] {
        var random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(truncatingIfNeeded: number))
        var mutator = InputMutator(corpus: corpus, words: target.words)
        return mutator.input(&random)
    }

    /// Runs them, each with a limit of time.
    package func run(_ numbers: Range<Int>) -> Result {
        var result = Result()
        FuzzWatch.start(target.rawValue, seed: seed)
        defer { FuzzWatch.stop() }
        for number in numbers {
            let input = input(number)
            FuzzWatch.begin(number)
            switch target.feed(input) {
            case .accepted: result.accepted += 1
            case .refused: break
            case .failed(let reason):
                result.failures.append(
                    "--only \(target.rawValue) --seed \(seed) --first \(number) --count 1: \(reason)"
                )
            }
        }
        return result
    }
}
