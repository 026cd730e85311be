internal import Foundation
internal import Molt

/// The readable pages of a write-ahead log, and the lost ones.
///
/// The checksum of a frame continues from the stored checksum of the frame before, so each frame can be checked even
/// after damaged ones. SQLite itself reads nothing after the first damaged frame.
struct LogPages {
    let pageSize: Int
    /// Whether all checksums of the log are right.
    let isSound: Bool
    /// Whether the log's header is sound; otherwise SQLite ignores the log.
    let isHeaderSound: Bool
    /// The pages whose newest state is lost.
    private(set) var lostPages: Set<Int> = []
    /// The number of lost frames whose page number is unknown.
    private(set) var unknownCount = 0
    /// Whether the log's pages are not used, so that the file's copy of each may be stale.
    private(set) var isLeftOut = false

    private let log: WriteAheadLog
    private let frames: [Frame]
    private let firstLost: Int?
    /// The last lost frame whose page number is unknown.
    private var lastUnknown = -1
    /// The newest valid frame of each page.
    private var newest: [Int: Int] = [:]
    /// The highest plausible page number; a damaged log may name one far beyond.
    private let pageLimit: Int

    /// Reads a log; nil when no frame of it can be read.
    ///
    /// - Parameter file: The database without its log.
    init?(_ source: ByteSource, file: ByteSource) {
        let sizes = DatabasePages.pageSize(of: file).map { [$0] } ?? DatabasePages.likelyPageSizes
        let found =
            WriteAheadLog(source) ?? sizes.lazy.compactMap { WriteAheadLog(withoutHeader: source, pageSize: $0) }.first
        guard let found else { return nil }
        log = found
        frames = Self.read(log, file)
        pageSize = log.pageSize
        isHeaderSound = log.isHeaderSound
        isSound = log.isHeaderSound && frames.allSatisfy(\.isIntact)
        firstLost = frames.firstIndex { $0.state == .lost }
        pageLimit = (file.count + pageSize - 1) / pageSize + frames.count
        findPages()
    }

    private mutating func findPages() {
        // All frames before a commit are committed: a transaction begins where the last one ended.
        let lastCommit = frames.lastIndex { $0.isCommit } ?? -1
        for (index, frame) in frames.enumerated().prefix(lastCommit + 1)
        where frame.state != .lost && frame.pageNumber <= pageLimit {
            newest[frame.pageNumber] = index
        }
        let lastLost = frames.lastIndex { $0.state == .lost } ?? -1
        // A lost frame after the last known commit may have had a later commit.
        for (index, frame) in frames.enumerated().prefix(lastLost + 1) where frame.state == .lost || index > lastCommit
        {
            if frame.state == .lost, !frame.isOwn || !(1...pageLimit).contains(frame.pageNumber) {
                unknownCount += 1
                lastUnknown = index
            } else if newest[frame.pageNumber, default: -1] < index {
                lostPages.insert(frame.pageNumber)
            }
        }
    }

    /// The same log, ignored because it does not belong to the file.
    var leftOut: LogPages {
        var log = self
        log.lostPages = Set(frames.map(\.pageNumber))
        log.unknownCount = 0
        log.lastUnknown = -1
        log.isLeftOut = true
        return log
    }

    // MARK: Frames

    private struct Frame {
        enum State {
            case whole
            /// The page is damaged in the log, but a checkpoint had copied it into the file.
            case inFile
            case lost
        }

        let pageNumber: Int
        let pageCount: Int
        let isOwn: Bool
        var state: State
        /// Whether nothing in the frame is damaged, not even unneeded parts.
        var isIntact: Bool

        var isCommit: Bool { state != .lost && pageCount > 0 }
    }

    /// Checks the frames of a log up to its end, or up to the frames of an earlier log.
    private static func read(_ log: WriteAheadLog, _ file: ByteSource) -> [Frame] {
        var frames: [Frame] = []
        var checksums = log.firstChecksums
        for index in 0..<log.frameCount {
            guard let frame = log.frame(index) else { break }
            let isOwn = log.isOwn(frame)
            let sums = checksums.map { log.checksum(of: frame, after: $0) }
            var state = Frame.State.lost
            // No checksum covers the salts, but a frame that continues this log's checksum belongs to it.
            if isOwn || frames.last.map({ $0.state == .whole }) ?? true, frame.pageNumber > 0,
                frame.page.count == log.pageSize, let match = sums.firstIndex(of: frame.checksum)
            {
                state = .whole
                // Only the stored checksum of the frame before is damaged.
                if match > 0, !frames.isEmpty {
                    frames[index - 1].state = .whole
                    frames[index - 1].isIntact = false
                }
            } else if isOwn, let page = file.read(at: (frame.pageNumber - 1) * log.pageSize, log.pageSize),
                checksums.contains(where: { log.checksum(of: frame, after: $0, page: page) == frame.checksum })
            {
                state = .inFile
            }
            frames.append(
                Frame(
                    pageNumber: frame.pageNumber,
                    pageCount: frame.pageCount,
                    isOwn: isOwn,
                    state: state,
                    isIntact: isOwn && state == .whole
                )
            )
            checksums = [frame.checksum] + (state == .whole ? [] : sums.prefix(1))
        }
        while let last = frames.last, last.state == .lost, !last.isOwn { frames.removeLast() }
        return frames
    }

    /// The maximum number of frames in a log of this size.
    static func frameCount(of source: ByteSource, file: ByteSource) -> Int {
        source.count / ((DatabasePages.pageSize(of: file) ?? DatabasePages.likelyPageSizes[0]) + 24) + 1
    }

    // MARK: Pages

    var hasLosses: Bool { firstLost != nil }

    func mayBeStale(_ page: Int) -> Bool {
        lostPages.contains(page) || newest[page, default: -1] < lastUnknown
    }

    /// Writes the pages into a copy of the database.
    ///
    /// - Parameter isWhole: Whether to write the pages after a lost frame, too. Without them, the copy has the state
    ///   after some transaction.
    func write(to path: String, isWhole: Bool) throws {
        let frames = frames.prefix(isWhole ? frames.count : firstLost ?? frames.count)
        guard let last = frames.lastIndex(where: \.isCommit) else { return }
        let copy = try DatabaseCopy(path, pageSize: pageSize)
        var newest: [Int: Int] = [:]
        for index in 0...last where frames[index].state != .lost && frames[index].pageNumber <= pageLimit {
            newest[frames[index].pageNumber] = index
        }
        for (page, index) in newest where frames[index].state == .whole {
            if let bytes = log.frame(index)?.page { try copy.write(bytes, page: page) }
        }
        guard frames[last].pageCount <= pageLimit else { return }
        // A lost commit may have had more pages.
        let isCut = last == self.frames.lastIndex { $0.state == .lost || $0.isCommit }
        try copy.setPageCount(frames[last].pageCount, isCut: isCut)
    }
}

/// A copy of a database whose pages are written without SQLite; no connection has it open.
private final class DatabaseCopy {
    private let file: FileHandle
    private let pageSize: Int

    init(_ path: String, pageSize: Int) throws {
        file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        self.pageSize = pageSize
    }

    deinit {
        // `write` has reported a failed write, or the next reader finds the damage.
        try? file.close()
    }

    func write(_ bytes: [UInt8], page: Int) throws {
        try file.seek(toOffset: UInt64((page - 1) * pageSize))
        try file.write(contentsOf: bytes)
    }

    /// Sets the number of pages, also in the first page.
    ///
    /// - Parameter isCut: Whether to remove the pages after the last one.
    func setPageCount(_ count: Int, isCut: Bool) throws {
        let size = try file.seekToEnd()
        let count = isCut ? count : max(count, Int(size) / pageSize)
        try file.truncate(atOffset: UInt64(count * pageSize))
        // The page count is valid only when the change counters at 24 and 92 are equal.
        try file.seek(toOffset: 24)
        guard let changes = try file.read(upToCount: 4), changes.count == 4 else { return }
        try file.seek(toOffset: 28)
        try file.write(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) })
        try file.seek(toOffset: 92)
        try file.write(contentsOf: changes)
    }
}
