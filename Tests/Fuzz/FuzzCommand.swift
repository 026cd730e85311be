import Foundation

/// Feeds mutated inputs to the readers of untrusted data.
///
/// `swift run -c release MoltFuzz [--seed n] [--first n] [--count n] [--only name]`
///
/// The seed, the target's name and a number identify an input. A crash or a hang prints the command that reproduces it.
@main
struct FuzzCommand {
    static func main() async {
        var seed: UInt64 = 1
        var first = 0
        var count = 1_000_000
        var targets = FuzzTarget.allCases
        var arguments = CommandLine.arguments.dropFirst()[...]
        while let option = arguments.popFirst() {
            guard let value = arguments.popFirst() else { return usage() }
            switch option {
            case "--seed": seed = UInt64(value) ?? 1
            case "--first": first = Int(value) ?? 0
            case "--count": count = Int(value) ?? 0
            case "--only":
                guard let target = FuzzTarget(rawValue: value) else { return usage() }
                targets = [target]
            default: return usage()
            }
        }
        var failed = false
        for target in targets {
            let start = ContinuousClock.now
            let run = FuzzRun(target, seed: seed)
            let result = await run.run(first..<first + count)
            let seconds = max(0.001, Double(start.duration(to: .now).components.seconds))
            print(
                """
                \(target.rawValue): \(count) inputs, \(result.accepted) accepted, \(result.failures.count) failures, \
                \(Int(Double(count) / seconds)) a second, at most \(FuzzWatch.peakMemory >> 20) MiB
                """
            )
            for failure in result.failures.prefix(10) { print("    \(failure)") }
            failed = failed || !result.failures.isEmpty
        }
        exit(failed ? 1 : 0)
    }

    private static func usage() {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: "|")
        print("usage: MoltFuzz [--seed n] [--first n] [--count n] [--only \(names)]")
        exit(2)
    }
}
