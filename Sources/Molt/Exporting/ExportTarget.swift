internal import Foundation

/// The file that an export is written to; it gets its name once it is complete and on disk.
struct ExportTarget {
    /// The path, symbolic links followed.
    let path: String
    private var partPath: String { path + ".molt-part" }

    /// - Parameter store: The path of the store that is exported.
    /// - Throws: ``MoltError`` with the code `notAFile` if there can be no export at the URL.
    init(_ url: URL, of store: String) throws {
        path = FileStatus.resolved(FileStatus.path(of: url))
        guard path.hasPrefix("/") else { throw Self.unusable(path, "it is not the URL of a file") }
        // An import could not open it.
        try FileStatus.checkPath(path)
        if let status = try FileStatus.of(path), !status.isFile {
            throw Self.unusable(path, "it is a directory or a device")
        }
        if Self.isFile(of: store, path) { throw Self.unusable(path, "it is the store itself") }
        if let what = try Self.dataOfOthers(path) { throw Self.unusable(path, "it is \(what)") }
    }

    /// What a file is that an export must not replace, in words; nil if there is none.
    ///
    /// It is read through SQLite: closing a file would drop the locks that this process has on a store.
    private static func dataOfOthers(_ path: String) throws -> String? {
        guard let size = try FileStatus.of(path)?.size, size > 0 else { return nil }
        let beginning = try withErrors(of: path) {
            try Connection(path, mode: .immutable).fileBytes(at: 0, min(size, 256)) ?? []
        }
        let text = String(decoding: beginning, as: UTF8.self)
        if text.hasPrefix("SQLite format 3") { return "a database, such as a backup of a store" }
        let isList = text.hasPrefix("bplist") || text.contains("<plist") || text.contains("<!DOCTYPE plist")
        return isList ? "a property list, such as the file of a suite" : nil
    }

    /// Whether a path leads to a store's file, or to one of those beside it.
    static func isFile(of store: String, _ path: String) -> Bool {
        guard store != ":memory:" else { return false }
        let store = FileStatus.resolved(store)
        return ([""] + StoreFiles.suffixes).contains { store + $0 == path || DurableFile.isSame(store + $0, path) }
    }

    private static func unusable(_ path: String, _ reason: String) -> MoltError {
        MoltError(
            .notAFile,
            "No export can be written to \(path): \(reason).",
            advice: "Choose another path.",
            outcome: .unchanged
        )
    }

    /// Begins an empty file under a temporary name; removes what a kill has left there.
    func begin() throws(DurableFile.Failure) -> PartFile {
        PartFile.removeLeftover(partPath)
        return try PartFile(partPath)
    }

    /// Gives the complete file its name.
    func publish(_ part: PartFile) throws(DurableFile.Failure) {
        try part.replace(path)
    }

    func error(_ failure: DurableFile.Failure) -> MoltError {
        if failure.isSuspension { return .suspended(.unchanged) }
        let code: MoltError.Code =
            switch failure.number {
            case EROFS: .readOnly
            case EACCES, EPERM: .noPermission
            case EEXIST: .busy
            default: .storeFailed
            }
        let reason = failure.isExisting ? "another export is being written there" : failure.reason
        return MoltError(
            code,
            "The export cannot be written to \(path): \(reason).",
            advice: failure.isOutOfSpace ? "Free some space, and try again." : nil,
            outcome: .unchanged,
            underlying: failure
        )
    }
}
