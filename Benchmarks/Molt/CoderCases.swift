import Dispatch
import Foundation
import Synchronization

/// Foundation's coders alone: what two cores can convert at best, without Molt and without a store.
enum CoderCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] = [oneThread, allCores]

    /// What all cores do beside one thread: the limit of `convert`.
    static let ratios: [BenchmarkRatio] = [
        BenchmarkRatio(
            title: "\(allCores.name) vs one thread",
            subject: allCores.name,
            baseline: oneThread.name,
            measure: .rate
        )
    ]

    private static let oneThread = benchmark(
        "coders-one-thread",
        "JSONDecoder and JSONEncoder alone: the old model to the new one, on one thread",
        parts: { 1 }
    )

    private static let allCores = benchmark(
        "coders-all-cores",
        "the same, a part on each core, with coders of its own",
        parts: { ProcessInfo.processInfo.activeProcessorCount }
    )

    private static func benchmark(
        _ name: String,
        _ summary: String,
        parts: @escaping @Sendable () -> Int
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, summary: summary, size: .atMost(200_000, quick: 5_000)) { context in
            let pool = (1...4_000).map { Data(People.content($0).utf8) }
            let bytes = Atomic(0)
            let failures = Atomic(0)
            let parts = parts()
            return BenchmarkTrial(count: context.records) {
                DispatchQueue.concurrentPerform(iterations: parts) { part in
                    let decoder = JSONDecoder()
                    let encoder = People.encoder()
                    var written = 0
                    for index in (context.records * part / parts)..<(context.records * (part + 1) / parts) {
                        do {
                            let old = try decoder.decode(PersonV1.self, from: pool[index % pool.count])
                            written += try encoder.encode(SplitPerson(old)).count
                        } catch {
                            failures.add(1, ordering: .relaxed)
                        }
                    }
                    bytes.add(written, ordering: .relaxed)
                }
            } finish: {
                guard failures.load(ordering: .relaxed) == 0,
                    bytes.load(ordering: .relaxed) > context.records * 190
                else { throw BenchmarkError("\(name): not all records were converted.") }
            }
        }
    }
}
