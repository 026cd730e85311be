import Dispatch
import Testing

// The pipeline fails and stops at chosen batches here, which no upgrade lets a test do.
@testable import Molt

@Suite struct `A pipeline of batches` {
    private final class Numbers: PipelineBatch {
        var values: [Int] = []
        var isEmpty: Bool { values.isEmpty }
    }

    private struct Unreadable: Error {}

    @Test(arguments: [false, true])
    func `passes on the batches before one that cannot be read, and then throws its error`(readsAlone: Bool) throws {
        var count = 0
        let pipeline = RecordPipeline(
            (Numbers(), Numbers()),
            on: DispatchQueue(label: "test"),
            stoppedBy: StopSignal {}
        ) { batch in
            count += 1
            guard count < 3 else { throw Unreadable() }
            batch.values = [count]
        } change: { batch in
            batch.values = batch.values.map { $0 * 10 }
        }
        pipeline.readsOnlyOnUsersThread = readsAlone
        defer { pipeline.end() }

        #expect(try pipeline.nextBatch()?.values == [10])
        #expect(try pipeline.nextBatch()?.values == [20])
        #expect(throws: Unreadable.self) { try pipeline.nextBatch() }
        // The error repeats.
        #expect(throws: Unreadable.self) { try pipeline.nextBatch() }
    }

    @Test func `reads the next batch on the user's thread while the other one is busy`() throws {
        let count = 20
        let isReadAhead = DispatchSemaphore(value: 0)
        var read = 0
        let pipeline = RecordPipeline(
            (Numbers(), Numbers()),
            on: DispatchQueue(label: "test"),
            stoppedBy: StopSignal {}
        ) { batch in
            read += 1
            batch.values = read <= count ? [read] : []
            if read > 1 { isReadAhead.signal() }
        } change: { batch in
            // Without a reader on the other thread, this would never end.
            isReadAhead.wait()
            batch.values = batch.values.map { $0 * 10 }
        }
        defer { pipeline.end() }

        var values: [Int] = []
        while let batch = try pipeline.nextBatch() { values += batch.values }
        #expect(values == (1...count).map { $0 * 10 })
    }
}
