import Foundation
import Generators
import TestSupport
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
    private let seeds: Int
    /// The indices of the operations after which power is lost.
    private let points: Set<Int>

    /// Creates a sweep of all points; in the ordinary run, of some of each kind.
    ///
    /// - Parameters:
    ///   - limit: The number of points in the ordinary run, besides those that are always tried.
    ///   - seeds: The number of random losses of sectors at each point in the long run.
    init(of recording: DiskRecording, limit: Int, seeds: Int) throws {
        let all = recording.operations
        let points = TestRun.isLong ? Set(all.indices) : Self.points(in: all, limit: limit)
        try self.init(of: recording, at: points, seeds: seeds)
    }

    /// Creates a sweep, and checks that the recording is complete: replaying it yields the current files.
    init(of recording: DiskRecording, at points: Set<Int>, seeds: Int) throws {
        self.recording = recording
        self.seeds = seeds
        self.points = points
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
            if case .mark(let mark) = operation.kind { marks.append(mark) }
            guard points.contains(index) else { continue }
            for loss in losses(at: index) {
                let image = disk.image(loss)
                guard tried.insert(Tried(digest: image.digest, marks: marks.count)).inserted else { continue }
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
                let memory = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32_768)
                try image.restore(to: recording.place, memory: random.oneIn(2) ? memory : nil)
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
        var digest: Int
        var marks: Int
    }

    /// The points of the ordinary run: the marks, the first call of each kind, and some turning points.
    ///
    /// Turning points are the last of successive calls of one kind on one file, and three among many such calls.
    private static func points(in operations: [DiskRecording.Operation], limit: Int) -> Set<Int> {
        var points: Set<Int> = []
        var kinds: Set<Substring> = []
        var turns: [Int] = []
        var start = 0
        for (index, operation) in operations.enumerated() {
            let name = operation.name
            if kinds.insert(name).inserted || name == "mark" { points.insert(index) }
            let next = index + 1
            if next < operations.count, operations[next].name == name, operations[next].file == operation.file {
                continue
            }
            let length = index - start
            if length > 8 { turns += [1, 2, 3].map { start + length * $0 / 4 } }
            turns.append(index)
            start = next
        }
        let count = min(limit, turns.count)
        for number in 0..<count { points.insert(turns[(2 * number + 1) * turns.count / (2 * count)]) }
        return points
    }

    /// In the ordinary run, a point has only one loss with random numbers.
    private func losses(at index: Int) -> [PowerLoss] {
        let seed = UInt64(index) &* 1_000
        let torn = PowerLoss.torn(seed: seed)
        guard TestRun.isLong else {
            var random = SeededGenerator(seed: seed)
            return [.nothing, .everything, random.oneIn(2) ? torn : .sectors(seed: seed + 1)]
        }
        return [.nothing, .everything, torn] + (0..<seeds).map { .sectors(seed: seed + UInt64($0) + 1) }
    }
}

/// A broken promise.
struct Broken: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
