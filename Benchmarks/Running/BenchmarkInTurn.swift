/// What a body times that does the same in two ways by turns, in one process: what disturbs the machine hits both.
struct BenchmarkInTurn {
    /// The duration of the way that is judged.
    private(set) var seconds: Double
    /// The processor time of that way.
    private(set) var processorSeconds: Double
    /// The duration of the way that it is compared with.
    private(set) var otherSeconds: Double
    private let figure: Figure

    /// A way to do the work.
    enum Way: CaseIterable {
        /// The one that is judged.
        case judged
        /// The one that it is compared with.
        case other

        /// Both, each first in every second turn.
        static func both(inTurn turn: Int) -> [Way] {
            turn.isMultiple(of: 2) ? [.judged, .other] : [.other, .judged]
        }
    }

    /// What is made of the turns.
    enum Figure {
        /// The shortest, where each turn does all the work.
        case shortest
        /// All together, where each turn does a part of it.
        case sum
    }

    /// Nothing timed yet.
    init(_ figure: Figure) {
        self.figure = figure
        let start = figure == .shortest ? Double.infinity : 0
        (seconds, processorSeconds, otherSeconds) = (start, start, start)
    }

    /// Does the work of one turn in one way.
    mutating func time(_ way: Way, _ body: () throws -> Void) rethrows {
        let processorStart = Platform.processorSeconds()
        let duration = try ContinuousClock().measure(body) / .seconds(1)
        let processorDuration = Platform.processorSeconds() - processorStart
        switch way {
        case .judged:
            seconds = joined(seconds, duration)
            processorSeconds = joined(processorSeconds, processorDuration)
        case .other:
            otherSeconds = joined(otherSeconds, duration)
        }
    }

    private func joined(_ all: Double, _ one: Double) -> Double {
        switch figure {
        case .shortest: min(all, one)
        case .sum: all + one
        }
    }
}
