import Generators
import Testing

@Suite struct `A seeded generator` {
    @Test func `The numbers of a seed are those of SplitMix64`() {
        var random = SeededGenerator(seed: 1_234_567)
        // The first numbers for this seed, as published with the algorithm.
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect((0..<5).map { _ in random.next() } == expected)
    }

    @Test func `Random numbers are below their bound, and each one occurs`() {
        var random = SeededGenerator(seed: 1)
        var seen: Set<Int> = []
        for _ in 0..<500 { seen.insert(random.below(10)) }
        #expect(seen == Set(0..<10))
        #expect(random.below(0) == 0)
        #expect(random.below(1) == 0)
    }
}
