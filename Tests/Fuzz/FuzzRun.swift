import Foundation
import Generators

/// A run of numbered inputs through one reader.
package struct FuzzRun {
    package struct Result {
        /// The number of accepted inputs.
        package var accepted = 0
        /// The inputs that broke a promise, each with the command that reproduces it.
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

    /// Returns the input of a number, which depends only on the seed and the number.
    package func input(_ number: Int) -> [UInt8] {
        var random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(truncatingIfNeeded: number))
        var mutator = InputMutator(corpus: corpus, words: target.words)
        return mutator.input(&random)
    }

    /// Runs the inputs.
    ///
    /// - Parameter limit: The time limit of an input in seconds; nil for none, for a process that does other work, too.
    package func run(_ numbers: Range<Int>, limit: UInt32? = 20) async -> Result {
        var result = Result()
        FuzzWatch.start(target.rawValue, seed: seed)
        defer { FuzzWatch.stop() }
        for number in numbers {
            let input = input(number)
            FuzzWatch.begin(number, limit: limit)
            switch await target.feed(input) {
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
