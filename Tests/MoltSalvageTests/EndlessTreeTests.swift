import Foundation
import Molt
import MoltSalvage
import Testing

/// Pages that refer to each other create cycles, or more paths through a tree than can be followed.
@Suite struct `Salvaging trees with cycles and shared pages` {
    let scratch: ScratchDirectory
    let sound: SoundStore
    var url: URL { scratch.file() }

    private let size = SoundStore.pageSize

    init() throws {
        scratch = try ScratchDirectory()
        sound = try SoundStore.shared.get()
    }

    private func rootPage(_ name: String) throws -> Int {
        try Data(sound.file).write(to: url)
        let text = try SQLite(url).text("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'")
        return try #require(text.flatMap { Int($0) })
    }

    private func put(_ number: Int, at offset: Int, in file: inout [UInt8]) {
        for index in 0..<4 { file[offset + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * index)) }
    }

    /// Makes all children of a page refer to another page.
    private func redirect(_ page: Int, to target: Int, in file: inout [UInt8]) {
        let start = (page - 1) * size
        let count = Int(file[start + 3]) << 8 | Int(file[start + 4])
        for cell in 0..<count {
            let place = start + 12 + 2 * cell
            put(target, at: start + (Int(file[place]) << 8 | Int(file[place + 1])), in: &file)
        }
        put(target, at: start + 8, in: &file)
    }

    @Test(arguments: ["molt_record", "sqlite_autoindex_molt_record_1"])
    func `A page that is its own child does not cause an endless loop`(tree: String) throws {
        let root = try rootPage(tree)
        var file = sound.file
        #expect([0x02, 0x05].contains(file[(root - 1) * size]))
        redirect(root, to: root, in: &file)
        let (report, _) = try scratch.salvage(file)
        // All leaves are intact.
        report.expect(saved: sound.contents.records.count, isDamaged: true)
        // A cache does not loop either: it throws, or finds the records through the other tree.
        try DamagedStore(file: file).write(to: url)
        do {
            let cache = try CodableCache(at: url, migrations: SoundStore.oldMigrations)
            defer { cache.close() }
            _ = try cache.count()
            _ = try cache.values(of: SoundNote.self)
        } catch let error as MoltError {
            #expect(error.code == .storeFailed)
        }
    }

    @Test(arguments: ["molt_record", "sqlite_autoindex_molt_record_1"])
    func `An exponential number of paths through a tree is not searched path by path`(tree: String) throws {
        let root = try rootPage(tree)
        var file = sound.file
        let kind = file[(root - 1) * size]
        let pages = file.count / size
        let leaf = try #require((1..<pages).first { file[$0 * size] == kind + 8 }) + 1
        for level in 1...12 {
            // As many cells with a child and a small key as fit on the page.
            let next = level == 12 ? leaf : pages + level + 1
            var page = [UInt8](repeating: 0, count: size)
            page[0] = kind
            let count = 100
            page[4] = UInt8(count)
            put(next, at: 8, in: &page)
            for cell in 0..<count {
                let offset = size - 5 * (cell + 1)
                page[12 + 2 * cell] = UInt8(offset >> 8)
                page[13 + 2 * cell] = UInt8(offset & 0xFF)
                put(next, at: offset, in: &page)
                page[offset + 4] = UInt8(cell + 1)
            }
            let content = size - 5 * count
            page[5] = UInt8(content >> 8)
            page[6] = UInt8(content & 0xFF)
            file += page
        }
        put(file.count / size, at: 28, in: &file)
        redirect(root, to: pages + 1, in: &file)
        let (report, _) = try scratch.salvage(file)
        report.expect(saved: sound.contents.records.count, isDamaged: true)
    }

    @Test func `Thousands of rows that share one long overflow chain do not stall the search`() throws {
        // Adds leaves whose rows claim to be as long as the chain that they all continue in.
        var file = sound.file.zeroed(pages: 0..<1)
        let chain = 400
        let first = file.count / size + 1
        for number in 0..<chain {
            var page = [UInt8](repeating: 0x41, count: size)
            put(number == chain - 1 ? 0 : first + number + 1, at: 0, in: &page)
            file += page
        }
        let length = chain * (size - 4)
        // The part of a row on its own page: sqlite.org/fileformat2.html, section 1.6.
        let least = (size - 12) * 32 / 255 - 23
        let fitting = least + (length - least) % (size - 4)
        let local = fitting <= size - 35 ? fitting : least
        for id in 1...2_000 {
            var page = [UInt8](repeating: 0, count: size)
            page[0] = 0x0D
            page[4] = 1
            let offset = 20
            page[8] = UInt8(offset >> 8)
            page[9] = UInt8(offset & 0xFF)
            var cell: [UInt8] = []
            for shift in [28, 21, 14, 7] { cell.append(0x80 | UInt8(length >> shift & 0x7F)) }
            cell.append(UInt8(length & 0x7F))
            cell += [0x80 | UInt8(id >> 7 & 0x7F), UInt8(id & 0x7F)]
            page.replaceSubrange(offset..<offset + cell.count, with: cell)
            put(first, at: offset + cell.count + local, in: &page)
            file += page
        }
        let (report, _) = try scratch.salvage(file)
        #expect(report.savedCount >= sound.contents.records.count)
    }
}
