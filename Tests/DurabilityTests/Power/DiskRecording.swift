import FaultyDisk
import Foundation

/// All operations on the files of a test, in order.
struct DiskRecording {
    /// One system call.
    struct Operation {
        enum Kind {
            /// The first use of a file that existed before.
            case found(path: String)
            case create(path: String)
            case write(offset: Int, bytes: [UInt8])
            case truncate(length: Int)
            case sync
            case makeDirectory(path: String)
            case rename(path: String, newPath: String)
            case link(path: String, newPath: String)
            case remove(path: String)
            case syncDirectory(path: String)
            /// No operation, but a point that the test has reached.
            case mark(String)
        }

        var kind: Kind
        /// The number of the file, which does not depend on its name.
        var file: Int
    }

    let place: TestPlace
    /// The files before the recording.
    let before: DiskImage
    private(set) var operations: [Operation]

    /// Runs a closure and records what it does to the files of a place.
    init(_ place: TestPlace, _ body: () throws -> Void) throws {
        self.place = place
        before = try DiskImage(of: place)
        molt_disk_watch(place.home, place.token)
        do {
            try body()
        } catch {
            molt_disk_unwatch()
            throw error
        }
        molt_disk_unwatch()
        operations = (0..<molt_disk_operations()).compactMap { number in
            molt_disk_operation_at(number).map { Operation($0.pointee) }
        }
    }

    /// Returns the recording without Foundation's syncs of files that were truncated and rewritten.
    ///
    /// A sync by Molt is followed by a sync of the directory.
    func withoutTheLibrarysSyncs() -> DiskRecording {
        var copy = self
        var cut: Set<Int> = []
        copy.operations = operations.enumerated().filter { place, operation in
            if case .truncate(length: 0) = operation.kind { cut.insert(operation.file) }
            guard case .sync = operation.kind, cut.contains(operation.file) else { return true }
            guard place + 1 < operations.count else { return false }
            return if case .syncDirectory = operations[place + 1].kind { true } else { false }
        }
        .map(\.element)
        return copy
    }

    /// Records that the closure has reached a point.
    static func mark(_ text: String) {
        molt_disk_add_mark(text)
    }
}

extension DiskRecording.Operation {
    fileprivate init(_ operation: molt_disk_operation) {
        file = Int(operation.file)
        let path = operation.path.map { String(cString: $0) } ?? ""
        kind =
            switch operation.kind {
            case molt_disk_found: .found(path: path)
            case molt_disk_create: .create(path: path)
            case molt_disk_write:
                .write(
                    offset: operation.offset,
                    bytes: Array(UnsafeBufferPointer(start: operation.bytes, count: operation.count))
                )
            case molt_disk_truncate: .truncate(length: operation.offset)
            case molt_disk_sync: .sync
            case molt_disk_make_directory: .makeDirectory(path: path)
            case molt_disk_rename:
                .rename(path: path, newPath: operation.new_path.map { String(cString: $0) } ?? "")
            case molt_disk_link:
                .link(path: path, newPath: operation.new_path.map { String(cString: $0) } ?? "")
            case molt_disk_remove, molt_disk_remove_directory: .remove(path: path)
            case molt_disk_sync_directory: .syncDirectory(path: path)
            default: .mark(path)
            }
    }

    /// The kind of the operation, without its values.
    var name: Substring { words.prefix { $0 != " " } }

    /// A short description of the operation, which begins with its kind.
    var words: String {
        func name(_ path: String) -> String { (path as NSString).lastPathComponent }
        return switch kind {
        case .found(let path): "found \(name(path)) as \(file)"
        case .create(let path): "create \(name(path)) as \(file)"
        case .write(let offset, let bytes): "write \(bytes.count) bytes at \(offset) of \(file)"
        case .truncate(let length): "truncate \(file) to \(length)"
        case .sync: "sync \(file)"
        case .makeDirectory(let path): "make the directory \(name(path))"
        case .rename(let path, let newPath): "rename \(name(path)) to \(name(newPath))"
        case .link(let path, let newPath): "link \(name(path)) to \(name(newPath))"
        case .remove(let path): "remove \(name(path))"
        case .syncDirectory(let path): "sync-directory \(name(path))"
        case .mark(let text): "mark \(text)"
        }
    }
}
