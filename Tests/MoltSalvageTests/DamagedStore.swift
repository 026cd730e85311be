import Foundation
import Generators
import Molt
import MoltSalvage
// Nearly every test uses a scratch directory, or inspects a cache file with SQLite.
@_exported public import TestSupport
import Testing

struct SoundNote: Codable, Equatable, Sendable {
    var number: Int
    var text: String
    var seen: Bool?
}

struct SoundLabel: Codable, Equatable, Sendable {
    var number: Int
    var text: String
    var seen: Bool?
}

/// The bytes of a store with every kind of content; tests damage copies of them.
struct SoundStore {
    /// The file after all caches were closed.
    let file: [UInt8]
    /// The file and its log while a cache has it open, with the last writes in the log only.
    let openFile: [UInt8]
    let openLog: [UInt8]
    /// The contents of the closed file.
    let contents: StoreContents
    /// The contents of the open file together with its log.
    let openContents: StoreContents

    static let pageSize = 1024

    /// The store that all tests share.
    static let shared = Result { try SoundStore() }

    /// The migrations up to the version of the store.
    static let oldMigrations: MigrationRegistry = [Migration(to: 1, "first"), Migration(to: 2, "second")]

    /// The migrations that bring the store from version 2 to 3, and change every note and label.
    static let migrations: MigrationRegistry = [
        Migration(to: 1, "first"),
        Migration(to: 2, "second"),
        Migration(
            to: 3,
            "third",
            .transform("SoundNote") { note in note["seen"] = .bool(true) },
            .run("labels") { migration in
                try migration.enumerate("SoundLabel") { _, new in new["seen"] = .bool(true) }
            }
        ),
    ]

    init() throws {
        let scratch = try ScratchDirectory()
        var random = SeededGenerator(seed: 42)
        let store = StoreFile(at: scratch.file())
        store.options.pageSize = Self.pageSize
        let records = (0..<140).map { number in Self.record(number, &random) }
        var first = LedgerEntry(name: "first", version: 1, appliedAt: Date(timeIntervalSince1970: 1))
        first.attachedCounts = ["a": 2]
        var second = LedgerEntry(name: "second", version: 2, appliedAt: Date(timeIntervalSince1970: 2))
        second.olderReleases = .write
        try StoreContents(version: 2, ledger: [first, second], records: records).write(to: store)
        store.close()
        // Creates free pages, as in every store that was used for a while.
        do {
            let cache = try CodableCache(at: scratch.file(), migrations: Self.oldMigrations)
            defer { cache.close() }
            for number in stride(from: 5, to: 140, by: 9) { _ = try cache.remove(forKey: "key \(number)") }
        }
        file = Array(try Data(contentsOf: scratch.file()))
        contents = try StoreFile.contents(at: scratch.file())
        let cache = try CodableCache(at: scratch.file(), migrations: Self.oldMigrations)
        defer { cache.close() }
        for number in stride(from: 0, to: 40, by: 3) {
            try cache.set(SoundNote(number: number, text: "later \(number)"), forKey: "key \(number)")
        }
        openFile = Array(try Data(contentsOf: scratch.file()))
        openLog = Array(try Data(contentsOf: URL(fileURLWithPath: scratch.file().path + "-wal")))
        openContents = try cache.contents()
    }

    private static func record(_ number: Int, _ random: inout SeededGenerator) -> StoreContents.StoredRecord {
        let isLarge = number % 20 == 7
        let text = String((0..<(isLarge ? 3_000 : 20 + random.below(120))).map { _ in random.pick(Array("abcdeé ")) })
        if number % 10 == 3 {
            let data = (0..<50).map { _ in UInt8(random.below(256)) }
            return .init(key: "key \(number)", typeName: "Data", content: data, isData: true, version: 2)
        }
        return StoreContents.StoredRecord(
            key: "key \(number)",
            typeName: number % 4 == 0 ? "SoundLabel" : "SoundNote",
            content: Array(#"{"number":\#(number),"text":"\#(text)"}"#.utf8),
            expiration: number % 7 == 0 ? 4_000_000_000 : nil,
            version: 2
        )
    }
}

/// The files of a damaged store.
struct DamagedStore {
    var file: [UInt8]
    var log: [UInt8]?
    var index: [UInt8]?

    /// Writes the file to a URL, and its log and index beside it.
    func write(to url: URL) throws {
        try Data(file).write(to: url)
        for (suffix, bytes) in [("-wal", log), ("-shm", index)] {
            let url = URL(fileURLWithPath: url.path + suffix)
            try? FileManager.default.removeItem(at: url)
            if let bytes { try Data(bytes).write(to: url) }
        }
    }

    /// Whether the file and its log still have these bytes.
    func isUnchanged(at url: URL) -> Bool {
        Array((try? Data(contentsOf: url)) ?? Data()) == file
            && (try? Data(contentsOf: URL(fileURLWithPath: url.path + "-wal"))).map { Array($0) } == log
    }
}

extension [UInt8] {
    /// The file with zeros in a range of its bytes.
    func zeroed(_ range: Range<Int>) -> [UInt8] {
        var file = self
        for offset in range.clamped(to: indices) { file[offset] = 0 }
        return file
    }

    /// The file of a sound store with zeros in some of its pages.
    func zeroed(pages: Range<Int>) -> [UInt8] {
        zeroed(pages.lowerBound * SoundStore.pageSize..<pages.upperBound * SoundStore.pageSize)
    }
}

extension ScratchDirectory {
    /// Salvages a store into the file `saved.molt`, which must be whole, and returns the contents of that.
    func salvage(_ file: [UInt8], log: [UInt8]? = nil) throws -> (report: SalvageReport, contents: StoreContents) {
        let store = DamagedStore(file: file, log: log)
        let (url, newURL) = (self.file(), self.file("saved.molt"))
        try? FileManager.default.removeItem(at: newURL)
        try store.write(to: url)
        let report = try CacheFile(at: url).salvage(to: newURL)
        #expect(store.isUnchanged(at: url))
        #expect(try StoreFile.damage(at: newURL).isEmpty)
        return (report, try StoreFile.contents(at: newURL))
    }
}

/// A kind of damage to a store.
enum Damage: String, CaseIterable, Sendable {
    case cutFile
    case cutFileInAPage
    case zeroPage
    case zeroPages
    case zeroRange
    case zeroHead
    case zeroTail
    case flipBit
    case flipBits
    case flipBitsOfHeaders
    case randomRange
    case randomPage
    case swappedPages
    case staleLog
    case foreignLog
    case cutLog
    case flipBitsOfLog
    case randomLog
    case missingLog
    case staleIndex
    case randomIndex
    case fileAndLog

    /// Whether the damage can turn content into other content that is just as valid.
    var canForge: Bool {
        switch self {
        case .flipBit, .flipBits, .flipBitsOfHeaders, .randomRange, .swappedPages: true
        case .fileAndLog, .staleLog, .foreignLog, .missingLog: true
        default: false
        }
    }

    /// Returns the files of a store with this damage.
    func apply(to sound: SoundStore, _ random: inout SeededGenerator) -> DamagedStore {
        var closed = DamagedStore(file: sound.file)
        var open = DamagedStore(file: sound.openFile, log: sound.openLog)
        let size = SoundStore.pageSize
        let count = closed.file.count
        let pages = count / size
        switch self {
        case .cutFile:
            closed.file.removeLast(size * (1 + random.below(pages - 1)))
        case .cutFileInAPage:
            closed.file.removeLast(1 + random.below(count - 1))
        case .zeroPage:
            Self.fill(&closed.file, random.below(pages) * size, size) { 0 }
        case .zeroPages:
            for _ in 0..<(2 + random.below(12)) { Self.fill(&closed.file, random.below(pages) * size, size) { 0 } }
        case .zeroRange:
            Self.fill(&closed.file, random.below(count), 1 + random.below(3_000)) { 0 }
        case .zeroHead:
            Self.fill(&closed.file, 0, 1 + random.below(3 * size)) { 0 }
        case .zeroTail:
            let length = 1 + random.below(count / 2)
            Self.fill(&closed.file, count - length, length) { 0 }
        case .flipBit:
            Self.flip(&closed.file, 1, &random)
        case .flipBits:
            Self.flip(&closed.file, 2 + random.below(200), &random)
        case .flipBitsOfHeaders:
            for _ in 0..<(1 + random.below(8)) {
                closed.file[random.below(pages) * size + random.below(40)] ^= 1 << UInt8(random.below(8))
            }
        case .randomRange:
            Self.fill(&closed.file, random.below(count), 1 + random.below(600)) { UInt8(random.below(256)) }
        case .randomPage:
            Self.fill(&closed.file, random.below(pages) * size, size) { UInt8(random.below(256)) }
        case .swappedPages:
            let (first, second) = (random.below(pages) * size, random.below(pages) * size)
            for offset in 0..<size { closed.file.swapAt(first + offset, second + offset) }
        case .staleLog:
            closed.log = sound.openLog
            if random.oneIn(2) { Self.flip(&closed.file, 3, &random) }
        case .foreignLog:
            closed.file = Array(sound.file.prefix(size * (1 + random.below(pages))))
            closed.log = sound.openLog
        case .cutLog:
            open.log?.removeLast(1 + random.below(sound.openLog.count - 1))
            return open
        case .flipBitsOfLog:
            if var log = open.log {
                Self.flip(&log, 1 + random.below(30), &random)
                open.log = log
            }
            return open
        case .randomLog:
            open.log = (0..<random.below(5_000)).map { _ in UInt8(random.below(256)) }
            return open
        case .missingLog:
            open.log = nil
            return open
        case .staleIndex:
            open.index = [UInt8](repeating: 0, count: 32_768)
            return open
        case .randomIndex:
            open.index = (0..<32_768).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            return open
        case .fileAndLog:
            Self.flip(&open.file, 1 + random.below(20), &random)
            if var log = open.log {
                Self.flip(&log, 1 + random.below(3), &random)
                open.log = log
            }
            return open
        }
        return closed
    }

    private static func fill(_ bytes: inout [UInt8], _ start: Int, _ count: Int, _ byte: () -> UInt8) {
        for index in start..<min(start + count, bytes.count) { bytes[index] = byte() }
    }

    private static func flip(_ bytes: inout [UInt8], _ count: Int, _ random: inout SeededGenerator) {
        for _ in 0..<count { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
    }
}
