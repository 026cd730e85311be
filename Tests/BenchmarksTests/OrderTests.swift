import Benchmarks
import Testing

@Suite
struct OrderTests {
    private let order = Self.order()

    private static func order() -> BenchmarkOrder {
        BenchmarkOrder(
            of: ["a", "b", "c", "d", "e", "f", "g", "h"],
            comparisons: [("a", "f"), ("h", "f"), ("b", "c"), ("d", "missing"), ("d", "d")]
        )
    }

    @Test(arguments: 1...20)
    func `A round has each case once, and what is compared, be it by way of a third, in one stretch`(round: Int) {
        let indices = order.indices(ofRound: round)

        #expect(indices.sorted() == Array(0..<8))
        for stretch in [Set([0, 5, 7]), [1, 2]] {
            let positions = indices.indices.filter { stretch.contains(indices[$0]) }
            #expect((positions.last ?? 0) - (positions.first ?? 0) == stretch.count - 1)
        }
    }

    @Test
    func `Rounds differ in the order of the stretches, and in the order within one, but not from run to run`() {
        let rounds = (1...100).map(order.indices)

        #expect(Set(rounds.map { $0.first { [0, 1, 3].contains($0) } }).count == 3)
        #expect(Set(rounds.map { $0.filter([0, 5, 7].contains) }).count == 6)
        #expect(rounds == (1...100).map(Self.order().indices))
    }
}
