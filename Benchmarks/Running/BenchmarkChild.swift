import Foundation

/// The child processes' side: one fixture, or one run of one case.
enum BenchmarkChild {
    /// What a run of a case measured; the one line that the child process prints.
    struct Measurement: Codable, Sendable {
        /// How many units were done.
        let count: Int
        /// How many bytes of content were worked on, where the case says so.
        let bytes: Int?
        /// How long the timed part took.
        let seconds: Double
        /// How long the other way took, where a case compares two by turns.
        var otherSeconds: Double?
        /// How much of all cores' time the process used for it: less disturbed by a busy machine than the duration.
        let processorSeconds: Double
        /// The part of the time that the cores were asked for, by both ways where there are two, which the host of a
        /// virtual machine gave to others; from 0 to 1.
        let stolenShare: Double
        /// The highest resident memory of the process, up to the end of the timed part.
        let peakMemoryBytes: Int
    }

    /// Builds a fixture in the context's directory.
    ///
    /// - Throws: ``BenchmarkError``, or what the fixture throws.
    static func buildFixture(named name: String, in context: BenchmarkContext) throws {
        let fixtures = BenchmarkCatalog.cases.compactMap(\.fixture)
        guard let fixture = fixtures.first(where: { $0.name == name }) else {
            throw BenchmarkError("There is no fixture \"\(name)\".")
        }
        try FileManager.default.createDirectory(at: context.directory, withIntermediateDirectories: true)
        try fixture.build(context)
    }

    /// Runs a case once and prints its measurement as a line of JSON.
    ///
    /// - Parameters:
    ///   - name: The case.
    ///   - context: The number and size of records, and a directory that does not exist yet.
    ///   - fixture: The directory that is copied there, if the case has a fixture.
    /// - Throws: ``BenchmarkError``, or what the case throws.
    static func runCase(named name: String, in context: BenchmarkContext, fixture: URL?) throws {
        guard let benchmark = BenchmarkCatalog.cases.first(where: { $0.name == name }) else {
            throw BenchmarkError("There is no case \"\(name)\".")
        }
        // Before there is any other thread: each has its own set of cores.
        if benchmark.isOnOneCore { try Platform.limitToOneCore() }
        if let fixture {
            try FileManager.default.copyItem(at: fixture, to: context.directory)
        } else {
            try FileManager.default.createDirectory(at: context.directory, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(at: context.directory) }
        let trial = try benchmark.prepare(context)
        // Otherwise the first fsync of the timed part would pay for the copy.
        try Platform.flush(context.directory)

        let clock = ContinuousClock()
        let stolenStart = Platform.stolenSeconds()
        let processorStart = Platform.processorSeconds()
        let duration = try clock.measure(trial.body)
        let processorSeconds = Platform.processorSeconds() - processorStart
        let stolenSeconds = Platform.stolenSeconds() - stolenStart
        // It is counted in hundredths of a second: a single one says nothing of a case that takes as long.
        let isDisturbed = stolenSeconds >= 0.05
        let peak = Platform.peakMemoryBytes()
        try trial.finish()

        let inTurn = trial.inTurn?()
        let measurement = Measurement(
            count: trial.count,
            bytes: trial.bytes,
            seconds: inTurn?.seconds ?? duration / .seconds(1),
            otherSeconds: inTurn?.otherSeconds,
            processorSeconds: inTurn?.processorSeconds ?? processorSeconds,
            stolenShare: isDisturbed ? stolenSeconds / (stolenSeconds + processorSeconds) : 0,
            peakMemoryBytes: peak
        )
        print(String(decoding: try JSONEncoder().encode(measurement), as: UTF8.self))
    }
}
