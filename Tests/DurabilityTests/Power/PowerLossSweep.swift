import Foundation
import Generators
import Testing

/// Simulates losses of power after the operations of a recording, and has a closure check what is left.
struct PowerLossSweep {
    /// One loss of power.
    struct Moment: CustomStringConvertible {
        /// The number of operations before it.
        var operations: Int
        var loss: PowerLoss
        /// The marks that were reached.
        var marks: [String]
        /// The last operation.
        var words: String
        /// A number that differs between most moments.
        var number: UInt64

        var description: String { "after \(operations) operations, the last being \(words); \(loss)" }
    }

    private let recording: DiskRecording
    /// The number of random losses of sectors that are tried at each point.
    private let seeds: Int
    /// The distance between the points that are tried.
    private let distance: Int

    /// Checks that the recording is complete: replaying it yields the current files.
    init(of recording: DiskRecording, seeds: Int, distance: Int = 1) throws {
        self.recording = recording
        self.seeds = seeds
        self.distance = distance
        var disk = VolatileDisk(recording.before)
        for operation in recording.operations { disk.apply(operation) }
        let (replayed, found) = (disk.image(.everything), try DiskImage(of: recording.place))
        #expect(replayed.directories == found.directories)
        #expect(Set(replayed.files.keys) == Set(found.files.keys))
        for (path, bytes) in found.files { #expect(replayed.files[path] == bytes, "\(path)") }
    }

    /// Tries all points; stops after several failures.
    ///
    /// - Returns: The number of losses that were tried; losses that leave the same files are tried once.
    @discardableResult
    func run(_ check: (Moment) throws -> Void) throws -> Int {
        var disk = VolatileDisk(recording.before)
        var marks: [String] = []
        var tried: Set<Tried> = []
        var failures = 0
        for (index, operation) in recording.operations.enumerated() {
            disk.apply(operation)
            if case .mark(let mark) = operation.kind {
                marks.append(mark)
            } else if index % distance != 0 {
                continue
            }
            for loss in losses(at: index) {
                let image = disk.image(loss)
                guard tried.insert(Tried(hash: image.hashValue, marks: marks.count)).inserted else { continue }
                let number = UInt64(index * 31 + tried.count)
                let moment = Moment(
                    operations: index + 1,
                    loss: loss,
                    marks: marks,
                    words: operation.words,
                    number: number
                )
                // The shared memory of SQLite is a file, too, and may have any content after a loss of power.
                var random = SeededGenerator(seed: number)
                let memory = random.oneIn(2) ? (0..<32_768).map { _ in UInt8(truncatingIfNeeded: number) } : nil
                try image.restore(to: recording.place, memory: memory)
                recording.place.forgetSettings()
                do {
                    try check(moment)
                } catch {
                    Issue.record("\(moment): \(error)")
                    failures += 1
                    if failures > 5 { return tried.count }
                }
            }
        }
        return tried.count
    }

    private struct Tried: Hashable {
        var hash: Int
        var marks: Int
    }

    private func losses(at index: Int) -> [PowerLoss] {
        let seed = UInt64(index) &* 1_000
        return [.nothing, .everything, .torn(seed: seed)]
            + (0..<seeds).map { .sectors(seed: seed + UInt64($0) + 1) }
    }
}

/// A broken promise.
struct Broken: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
