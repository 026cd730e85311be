import Foundation
import Generators
import Molt
import MoltSalvage

/// A file with a long write-ahead log, and all contents that each key has had.
struct LoggedStore {
    let file: [UInt8]
    let log: [UInt8]
    /// The newest content of each record.
    let last: [String: [UInt8]]
    /// All contents that each key has had.
    let history: [String: Set<[UInt8]>]

    static let pageSize = 1024
    /// The size of the log's header in bytes.
    static let headerSize = 32
    /// The size of a frame with its page in bytes.
    static let frameSize = 24 + pageSize
    static let shared = Result { try LoggedStore() }

    var frameCount: Int { (log.count - Self.headerSize) / Self.frameSize }

    /// Creates a copy of a store with another file.
    init(_ store: LoggedStore, file: [UInt8]) {
        (self.file, log, last, history) = (file, store.log, store.last, store.history)
    }

    init() throws {
        let scratch = try ScratchDirectory()
        var random = SeededGenerator(seed: 8)
        let store = StoreFile(at: scratch.file())
        store.options.pageSize = Self.pageSize
        try StoreContents(version: 0, records: []).write(to: store)
        store.close()
        var history: [String: Set<[UInt8]>] = [:]
        func note(_ contents: StoreContents) {
            for record in contents.records { history[record.key, default: []].insert(record.content) }
        }
        func value(_ number: Int) -> SoundNote {
            let length = random.oneIn(25) ? 2_500 : random.below(160)
            return SoundNote(number: number, text: String((0..<length).map { _ in random.pick(Array("abcde ")) }))
        }
        do {
            let cache = try CodableCache(at: scratch.file())
            defer { cache.close() }
            try cache.setAll((0..<400).map { (key: "key \($0)", value: value($0)) })
            note(try cache.contents())
        }
        let cache = try CodableCache(at: scratch.file())
        defer { cache.close() }
        for turn in 0..<80 {
            switch random.below(5) {
            case 0: try cache.set(value(turn), forKey: "new \(turn)")
            case 1: try cache.remove(forKey: "key \(random.below(400))")
            case 2:
                try cache.batch { batch in
                    for _ in 0..<(2 + random.below(8)) {
                        try batch.set(value(turn), forKey: "key \(random.below(500))")
                    }
                    batch.remove(forKey: "key \(random.below(400))")
                }
            default: try cache.set(value(turn), forKey: "key \(random.below(400))")
            }
            note(try cache.contents())
        }
        file = Array(try Data(contentsOf: scratch.file()))
        log = Array(try Data(contentsOf: URL(fileURLWithPath: scratch.file().path + "-wal")))
        last = Dictionary(uniqueKeysWithValues: try cache.contents().records.map { ($0.key, $0.content) })
        self.history = history
    }
}

/// A kind of damage to a log.
enum LogDamage: String, CaseIterable, Sendable {
    case bit
    case bits
    case page
    case sectors
    case block
    case randomRange

    /// Damages a log at a random place.
    func apply(to log: inout [UInt8], _ random: inout SeededGenerator) {
        func fill(_ start: Int, _ count: Int, _ byte: () -> UInt8) {
            for index in start..<min(start + count, log.count) { log[index] = byte() }
        }
        switch self {
        case .bit: log[random.below(log.count)] ^= 1 << UInt8(random.below(8))
        case .bits:
            for _ in 0..<(2 + random.below(30)) { log[random.below(log.count)] ^= 1 << UInt8(random.below(8)) }
        case .page:
            let frame = random.below((log.count - LoggedStore.headerSize) / LoggedStore.frameSize)
            fill(LoggedStore.headerSize + frame * LoggedStore.frameSize + 24, LoggedStore.pageSize) { 0 }
        case .sectors: for _ in 0..<(1 + random.below(3)) { fill(random.below(log.count / 512) * 512, 512) { 0 } }
        case .block: fill(random.below(log.count / 4_096) * 4_096, 4_096) { 0 }
        case .randomRange:
            let count = 1 + random.below(600)
            fill(random.below(log.count), count) { UInt8(random.below(256)) }
        }
    }
}

/// The result of salvaging a store whose log was damaged.
struct DamagedLogTrial {
    let report: SalvageReport
    /// The number of records with their newest content.
    private(set) var current = 0
    /// The keys of records with earlier content, and of removed records that are back.
    private(set) var wrong: [String] = []
    /// The keys of records that were not saved.
    private(set) var missing: [String] = []
    /// The keys of records with content that was never written.
    private(set) var forged: [String] = []

    init(_ store: LoggedStore, log: [UInt8], in scratch: ScratchDirectory) throws {
        let url = scratch.file("logged.molt")
        let newURL = scratch.file("logged-saved.molt")
        try? FileManager.default.removeItem(at: newURL)
        try DamagedStore(file: store.file, log: log).write(to: url)
        report = try CacheFile(at: url).salvage(to: newURL)
        var keys: Set<String> = []
        for record in try StoreFile.contents(at: newURL).records {
            keys.insert(record.key)
            if store.last[record.key] == record.content {
                current += 1
            } else if store.history[record.key]?.contains(record.content) != true {
                forged.append(record.key)
            } else {
                wrong.append(record.key)
            }
        }
        missing = store.last.keys.filter { !keys.contains($0) }
    }
}
