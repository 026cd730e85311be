import Foundation
import Generators

/// The unsynced changes that survive a loss of power.
enum PowerLoss: Hashable {
    case nothing
    /// Everything, as if only the process had ended.
    case everything
    /// Everything except the end of the last write, which is truncated at a random byte.
    case torn(seed: UInt64)
    /// For each sector, file length and directory, its state at a random earlier moment.
    case sectors(seed: UInt64)
}

/// A disk that caches unsynced changes, and may write them in any order.
///
/// Syncing a file syncs its content only. The names in a directory are synced with the directory; until then, any
/// number of the last changes to them may be undone. Sectors have 512 bytes. Bytes outside a write keep their values,
/// even in its first and last sector, as SQLite assumes (SQLITE_IOCAP_POWERSAFE_OVERWRITE). A file that was truncated
/// to nothing is either the old one or has no sector of it: the file system frees the sectors, and does not show what
/// they held to whom it gives them next. Ext4 (unless mounted with `data=writeback`), XFS, Btrfs and APFS all do so.
struct VolatileDisk {
    private struct File {
        var synced: [UInt8] = []
        var pending: [Change] = []
    }

    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(length: Int)

        var isTruncationToNothing: Bool { if case .truncate(length: 0) = self { true } else { false } }
    }

    private static let sectorSize = 512

    private var files: [Int: File] = [:]
    /// The number of the file at each path; a directory has the number 0.
    private var synced: [String: Int] = [:]
    private var live: [String: Int] = [:]
    /// The changes to names in a directory that are not synced: the file that a path gets, or nil.
    private var pending: [(directory: String, names: [String: Int?])] = []
    /// The last operation, if it was a write.
    private var last: (file: Int, change: Int)?

    /// Creates a disk on which all files of an image are synced.
    init(_ image: DiskImage) {
        for (number, entry) in image.files.sorted(by: { $0.key < $1.key }).enumerated() {
            files[-1 - number] = File(synced: entry.value)
            synced[entry.key] = -1 - number
        }
        for directory in image.directories { synced[directory] = 0 }
        live = synced
    }

    // MARK: Operations

    mutating func apply(_ operation: DiskRecording.Operation) {
        last = nil
        let file = operation.file
        switch operation.kind {
        case .found(let path):
            guard let known = live[path] else { return }
            files[file] = files.removeValue(forKey: known)
            synced = synced.mapValues { $0 == known ? file : $0 }
            live = live.mapValues { $0 == known ? file : $0 }
            for index in pending.indices {
                pending[index].names = pending[index].names.mapValues { $0 == known ? file : $0 }
            }
        case .create(let path):
            files[file] = File()
            change([path: file], at: path)
        case .write(let offset, let bytes):
            files[file]?.pending.append(.write(offset: offset, bytes: bytes))
            last = (file, (files[file]?.pending.count ?? 0) - 1)
        case .truncate(let length):
            files[file]?.pending.append(.truncate(length: length))
        case .sync:
            guard let changed = files[file] else { return }
            files[file] = File(synced: Self.content(of: changed, .everything))
        case .makeDirectory(let path):
            change([path: 0], at: path)
        case .rename(let path, let newPath):
            change([path: nil, newPath: live[path]], at: newPath)
        case .link(let path, let newPath):
            change([newPath: live[path]], at: newPath)
        case .remove(let path):
            change([path: nil], at: path)
        case .syncDirectory(let path):
            for entry in pending where entry.directory == path { Self.rename(&synced, entry.names) }
            pending.removeAll { $0.directory == path }
        case .mark:
            break
        }
    }

    private mutating func change(_ names: [String: Int?], at path: String) {
        Self.rename(&live, names)
        pending.append(((path as NSString).deletingLastPathComponent, names))
    }

    private static func rename(_ files: inout [String: Int], _ names: [String: Int?]) {
        for (path, file) in names { files[path] = file }
    }

    // MARK: Losing power

    /// Returns the files after a loss of power at this point.
    func image(_ loss: PowerLoss) -> DiskImage {
        var random: SeededGenerator?
        if case .sectors(let seed) = loss { random = SeededGenerator(seed: seed) }
        var names = loss == .nothing || random != nil ? synced : live
        if random != nil {
            for directory in Set(pending.map(\.directory)).sorted() {
                let changes = pending.filter { $0.directory == directory }.map(\.names)
                for change in changes.prefix(random?.below(changes.count + 1) ?? 0) { Self.rename(&names, change) }
            }
        }
        var image = DiskImage()
        for (path, number) in names.sorted(by: { $0.key < $1.key }) {
            // A file is lost with its directory.
            let directory = (path as NSString).deletingLastPathComponent
            let isOurs = synced[directory] != nil || live[directory] != nil
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

    /// Returns each sector, and the length, as after a random number of the unsynced changes.
    private static func mixed(_ file: File, _ random: inout SeededGenerator?) -> [UInt8] {
        guard var generator = random else { return file.synced }
        defer { random = generator }
        var file = file
        while let cut = file.pending.lastIndex(where: \.isTruncationToNothing) {
            let isLost = generator.oneIn(2)
            file =
                isLost
                ? File(synced: file.synced, pending: Array(file.pending[..<cut]))
                : File(pending: Array(file.pending[(cut + 1)...]))
        }
        guard !file.pending.isEmpty else { return file.synced }
        let count = file.pending.count
        // The percentage of sectors in their newest state, and, of the others, in their oldest one.
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
