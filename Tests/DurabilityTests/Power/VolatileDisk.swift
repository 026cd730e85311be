import Foundation
import Generators

/// What a loss of power leaves of that which was not synced before it.
enum PowerLoss: Hashable, CustomStringConvertible {
    /// Nothing.
    case nothing
    /// Everything: the disk has been quick, or it was only the process that died.
    case everything
    /// Everything but the end of the last write, which is cut off at some byte.
    case torn(seed: UInt64)
    /// Of each sector, of each file's length and of each directory, what some earlier moment had there.
    case sectors(seed: UInt64)

    var description: String {
        switch self {
        case .nothing: "nothing survives"
        case .everything: "everything survives"
        case .torn(let seed): "the last write is torn (\(seed))"
        case .sectors(let seed): "some sectors survive (\(seed))"
        }
    }
}

/// A disk that keeps in its memory what was not synced, and may write it in any order.
///
/// Files are synced for themselves; which names there are in a directory is synced with the directory, and until then
/// any number of the last changes to it may be undone. Sectors have 512 bytes. What a write does not touch stays as it
/// was, in its first and last sector too: SQLite takes that for granted (SQLITE_IOCAP_POWERSAFE_OVERWRITE).
struct VolatileDisk {
    private struct File {
        var synced: [UInt8] = []
        var pending: [Change] = []
    }

    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(length: Int)
    }

    private enum NameChange {
        case set(path: String, file: Int)
        case rename(path: String, newPath: String)
        case remove(path: String)
        case directory(path: String)
    }

    /// Which files and directories there are; a directory's file is 0.
    private struct Names {
        var files: [String: Int] = [:]

        mutating func apply(_ change: NameChange) {
            switch change {
            case .set(let path, let file): files[path] = file
            case .rename(let path, let newPath): files[newPath] = files.removeValue(forKey: path)
            case .remove(let path): files[path] = nil
            case .directory(let path): files[path] = 0
            }
        }
    }

    private static let sectorSize = 512

    private var files: [Int: File] = [:]
    private var synced = Names()
    private var live = Names()
    private var pending: [(directory: String, change: NameChange)] = []
    /// The last operation, where it was a write.
    private var last: (file: Int, change: Int)?

    /// A disk that has everything of an image safe.
    init(_ image: DiskImage) {
        for (number, entry) in image.files.sorted(by: { $0.key < $1.key }).enumerated() {
            files[-1 - number] = File(synced: entry.value)
            synced.files[entry.key] = -1 - number
        }
        for directory in image.directories { synced.files[directory] = 0 }
        live = synced
    }

    // MARK: Doing

    mutating func apply(_ operation: DiskRecording.Operation) {
        last = nil
        let file = operation.file
        switch operation.kind {
        case .found(let path):
            guard let known = live.files[path] else { return }
            files[file] = files.removeValue(forKey: known)
            for (name, number) in synced.files where number == known { synced.files[name] = file }
            for (name, number) in live.files where number == known { live.files[name] = file }
        case .create(let path):
            files[file] = File()
            change(.set(path: path, file: file), at: path)
        case .write(let offset, let bytes):
            files[file]?.pending.append(.write(offset: offset, bytes: bytes))
            last = (file, (files[file]?.pending.count ?? 0) - 1)
        case .truncate(let length):
            files[file]?.pending.append(.truncate(length: length))
        case .sync:
            guard let changed = files[file] else { return }
            files[file] = File(synced: Self.content(of: changed, .everything))
        case .makeDirectory(let path):
            change(.directory(path: path), at: path)
        case .rename(let path, let newPath):
            change(.rename(path: path, newPath: newPath), at: newPath)
        case .link(let path, let newPath):
            guard let file = live.files[path] else { return }
            change(.set(path: newPath, file: file), at: newPath)
        case .remove(let path):
            change(.remove(path: path), at: path)
        case .syncDirectory(let path):
            for entry in pending where entry.directory == path { synced.apply(entry.change) }
            pending.removeAll { $0.directory == path }
        case .mark:
            break
        }
    }

    private mutating func change(_ change: NameChange, at path: String) {
        live.apply(change)
        pending.append(((path as NSString).deletingLastPathComponent, change))
    }

    // MARK: Losing power

    /// What is on the disk after a loss of power now.
    func image(_ loss: PowerLoss) -> DiskImage {
        var random: SeededGenerator?
        if case .sectors(let seed) = loss { random = SeededGenerator(seed: seed) }
        var names = loss == .nothing || random != nil ? synced : live
        if random != nil {
            for directory in Set(pending.map(\.directory)).sorted() {
                let changes = pending.filter { $0.directory == directory }.map(\.change)
                for change in changes.prefix(random?.below(changes.count + 1) ?? 0) { names.apply(change) }
            }
        }
        var image = DiskImage()
        for (path, number) in names.files.sorted(by: { $0.key < $1.key }) {
            // What is in a directory that was never made is not there.
            let directory = (path as NSString).deletingLastPathComponent
            let isOurs = synced.files[directory] != nil || live.files[directory] != nil
            guard !isOurs || image.directories.contains(directory) else { continue }
            if number == 0 {
                image.directories.insert(path)
            } else if let file = files[number] {
                image.files[path] = content(of: file, number, loss, &random)
            }
        }
        return image
    }

    private func content(of file: File, _ number: Int, _ loss: PowerLoss, _ random: inout SeededGenerator?) -> [UInt8] {
        switch loss {
        case .nothing, .everything: Self.content(of: file, loss)
        case .torn(let seed):
            if let last, last.file == number {
                Self.torn(file, at: last.change, seed: seed)
            } else {
                Self.content(of: file, .everything)
            }
        case .sectors: Self.mixed(file, &random)
        }
    }

    private static func content(of file: File, _ loss: PowerLoss) -> [UInt8] {
        guard loss != .nothing else { return file.synced }
        var content = file.synced
        for change in file.pending { apply(change, to: &content) }
        return content
    }

    private static func apply(_ change: Change, to content: inout [UInt8]) {
        switch change {
        case .write(let offset, let bytes):
            let end = offset + bytes.count
            if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
            content.replaceSubrange(offset..<end, with: bytes)
        case .truncate(let length):
            if content.count > length {
                content.removeLast(content.count - length)
            } else {
                content += [UInt8](repeating: 0, count: length - content.count)
            }
        }
    }

    private static func torn(_ file: File, at place: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        var file = file
        if case .write(let offset, let bytes) = file.pending[place] {
            file.pending[place] = .write(offset: offset, bytes: Array(bytes.prefix(random.below(bytes.count))))
        }
        return content(of: file, .everything)
    }

    /// Each sector, and the length, as it was after some number of the changes that were not synced.
    private static func mixed(_ file: File, _ random: inout SeededGenerator?) -> [UInt8] {
        guard var generator = random, !file.pending.isEmpty else { return file.synced }
        defer { random = generator }
        let count = file.pending.count
        // How many of a hundred sectors are as new as can be, and as old as can be: now many, now few.
        let (new, old) = (generator.below(101), generator.below(101))
        func moment() -> Int {
            if generator.below(100) < new { return count }
            if generator.below(100) < old { return 0 }
            return generator.below(count + 1)
        }
        var length = file.synced.count
        let lengthMoment = moment()
        var content = file.synced
        var moments: [Int: Int] = [:]
        func survives(_ change: Int, _ sector: Int) -> Bool {
            if let known = moments[sector] { return change < known }
            let chosen = moment()
            moments[sector] = chosen
            return change < chosen
        }
        for (number, change) in file.pending.enumerated() {
            switch change {
            case .write(let offset, let bytes):
                let end = offset + bytes.count
                if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
                var start = offset
                while start < end {
                    let next = min(end, (start / sectorSize + 1) * sectorSize)
                    if survives(number, start / sectorSize) {
                        content.replaceSubrange(start..<next, with: bytes[(start - offset)..<(next - offset)])
                    }
                    start = next
                }
                if number < lengthMoment { length = max(length, end) }
            case .truncate(let newLength):
                var start = newLength
                while start < content.count {
                    let next = min(content.count, (start / sectorSize + 1) * sectorSize)
                    if survives(number, start / sectorSize) {
                        content.replaceSubrange(start..<next, with: repeatElement(0, count: next - start))
                    }
                    start = next
                }
                if number < lengthMoment { length = newLength }
            }
        }
        apply(.truncate(length: length), to: &content)
        return content
    }
}
