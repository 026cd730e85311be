import Foundation
import Generators
import Testing

/// Takes the power away after every operation of a recording, in several ways, and has a closure look at what is left.
struct PowerLossSweep {
    /// One loss of power.
    struct Moment: CustomStringConvertible {
        /// How many operations were done.
        var operations: Int
        var loss: PowerLoss
        /// The marks that were passed.
        var marks: [String]
        /// The last operation.
        var words: String
        /// Some number that is another one for most moments.
        var number: UInt64

        var description: String { "after \(operations) operations, the last being \(words); \(loss)" }
    }

    private let recording: DiskRecording
    /// How many ways of losing some sectors are tried at each point.
    private let seeds: Int
    /// Each how-manyth point is tried.
    private let distance: Int

    /// Checks that the recording has all that was done: replayed, it gives the files that are there.
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

    /// Tries all points; stops after some failures.
    ///
    /// - Returns: How many losses of power were tried; those that leave the same files are tried once.
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
                // The memory that processes share is a file, too; what is left of it may be anything.
                var random = SeededGenerator(seed: number)
                let memory = random.oneIn(2) ? (0..<32_768).map { _ in UInt8(truncatingIfNeeded: number) } : nil
                try image.restore(to: recording.place, memory: memory)
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

/// Something that a promise does not allow.
struct Broken: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
