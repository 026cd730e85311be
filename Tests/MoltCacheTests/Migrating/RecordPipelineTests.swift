import Dispatch
import Testing

@testable import Molt

@Suite struct `A pipeline of batches` {
    private final class Numbers: PipelineBatch {
        var values: [Int] = []
        var isEmpty: Bool { values.isEmpty }
    }

    private struct Unreadable: Error {}

    @Test(arguments: [BatchReader.user, .otherThread])
    func `passes on the batches before one that cannot be read, and then throws its error`(reader: BatchReader) throws {
        var count = 0
        let pipeline = RecordPipeline(
            (Numbers(), Numbers()),
            on: DispatchQueue(label: "test"),
            stoppedBy: StopCheck {},
            reader: reader
        ) { batch in
            count += 1
            guard count < 3 else { throw Unreadable() }
            batch.values = [count]
        } change: { batch in
            batch.values = batch.values.map { $0 * 10 }
        }
        defer { pipeline.end() }

        #expect(try pipeline.nextBatch()?.values == [10])
        #expect(try pipeline.nextBatch()?.values == [20])
        #expect(throws: Unreadable.self) { try pipeline.nextBatch() }
        // The error repeats.
        #expect(throws: Unreadable.self) { try pipeline.nextBatch() }
    }
}
