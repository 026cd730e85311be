internal import Foundation
internal import MoltCache

/// The pages that can still be read of a write-ahead log, and those that are lost.
///
/// The checksum of a frame continues from the one that is written in the frame before, so each frame can be checked
/// even when the frames before it are damaged. SQLite itself reads nothing after the first damaged frame.
struct LogPages {
    /// In bytes.
    let pageSize: Int
    /// Whether all checksums of the log are right.
    let isSound: Bool
    /// Whether the log's header is sound; SQLite reads nothing of a log whose header is not.
    let isHeaderSound: Bool
    /// The pages whose newest state is lost.
    private(set) var lostPages: Set<Int> = []
    /// How many lost frames do not say which page they had.
    private(set) var unknownCount = 0
    /// Whether the pages of the log are not used, so that each of them may be stale in the file.
    private(set) var isLeftOut = false

    private let log: WriteAheadLog
    private let frames: [Frame]
    /// The first frame that is lost.
    private let firstLost: Int?
    /// The last lost frame that does not say which page it had.
    private var lastUnknown = -1
    /// The newest frame of each page that counts.
    private var newest: [Int: Int] = [:]
    /// How many pages the database can have: a damaged log may name a page far beyond.
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
        // Every frame before a commit is committed: a transaction begins where the last one ended.
        let lastCommit = frames.lastIndex { $0.isCommit } ?? -1
        for (index, frame) in frames.enumerated().prefix(lastCommit + 1)
        where frame.state != .lost && frame.pageNumber <= pageLimit {
            newest[frame.pageNumber] = index
        }
        let lastLost = frames.lastIndex { $0.state == .lost } ?? -1
        // After the last commit that is found, a lost frame may have had another one.
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

    /// The same log, for a file that it does not belong to.
    var leftOut: LogPages {
        var log = self
        log.lostPages = Set(frames.map(\.pageNumber))
        log.unknownCount = 0
        log.lastUnknown = -1
        log.isLeftOut = true
        return log
    }

    // MARK: Frames

    /// A frame of the log: one page as one transaction wrote it.
    private struct Frame {
        enum State {
            case whole
            /// The page is damaged in the log, and was copied into the file before.
            case inFile
            case lost
        }

        let pageNumber: Int
        let pageCount: Int
        let isOwn: Bool
        var state: State
        /// Whether nothing in the frame is damaged, not even a part that is not needed.
        var isIntact: Bool

        var isCommit: Bool { state != .lost && pageCount > 0 }
    }

    /// Checks every frame of a log, up to its end or to the frames of an earlier log.
    private static func read(_ log: WriteAheadLog, _ file: ByteSource) -> [Frame] {
        var frames: [Frame] = []
        var checksums = log.firstChecksums
        for index in 0..<log.frameCount {
            guard let frame = log.frame(index) else { break }
            let isOwn = log.isOwn(frame)
            let sums = checksums.map { log.checksum(of: frame, after: $0) }
            var state = Frame.State.lost
            // No checksum covers the salts, but a frame that continues from one of this log belongs to it.
            if isOwn || frames.last.map({ $0.state == .whole }) ?? true, frame.pageNumber > 0,
                frame.page.count == log.pageSize, let match = sums.firstIndex(of: frame.checksum)
            {
                state = .whole
                // Only the checksum in the frame before is damaged.
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

    /// How many frames a log of a given size can have.
    static func frameCount(of source: ByteSource, file: ByteSource) -> Int {
        source.count / ((DatabasePages.pageSize(of: file) ?? DatabasePages.likelyPageSizes[0]) + 24) + 1
    }

    // MARK: Pages

    /// Whether frames are lost.
    var hasLosses: Bool { firstLost != nil }

    /// Whether a newer state of a page may be lost.
    func mayBeStale(_ page: Int) -> Bool {
        lostPages.contains(page) || newest[page, default: -1] < lastUnknown
    }

    /// Writes the pages into a copy of the database.
    ///
    /// - Parameter isWhole: Whether the pages after a lost frame are written, too. Without them, the copy is as a
    ///   transaction has left it.
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
        // A commit that is lost may have had more pages.
        let isCut = last == self.frames.lastIndex { $0.state == .lost || $0.isCommit }
        try copy.setPageCount(frames[last].pageCount, isCut: isCut)
    }
}

/// A copy of a database into which pages are written without SQLite; no other connection has it open.
private final class DatabaseCopy {
    private let file: FileHandle
    private let pageSize: Int

    /// Opens a file.
    init(_ path: String, pageSize: Int) throws {
        file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        self.pageSize = pageSize
    }

    deinit {
        // `write` has reported a failed write, or the next reader finds the damage.
        try? file.close()
    }

    /// Writes a page; the first one has the number 1.
    func write(_ bytes: [UInt8], page: Int) throws {
        try file.seek(toOffset: UInt64((page - 1) * pageSize))
        try file.write(contentsOf: bytes)
    }

    /// Sets how many pages the database has, also in its first page.
    ///
    /// - Parameter isCut: Whether the pages after the last one are removed.
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
