internal import Foundation

/// A file for a temporary copy of a store, or for a store that is made of an export, in a directory of its own.
///
/// The directory is removed with the last copy of this value or, after a kill, by the next one for the same purpose.
struct ScratchCopy {
    /// The empty file.
    let url: URL
    private let original: String
    private let directory: CopyDirectory

    /// Creates the file, if there is room for it and for the log of its upgrade, which is about as large.
    init(of original: URL, for purpose: CopyDirectory.Purpose, byteCount: Int64) throws {
        self.original = FileStatus.path(of: original)
        do {
            directory = try CopyDirectory(for: purpose)
        } catch let error as DurableFile.Failure {
            throw MoltError(
                .storeFailed,
                "The copy for the \(purpose.rawValue) cannot be made: no directory can be created in "
                    + "\(CopyDirectory.parent.path).",
                advice: "Check its permissions, or set another temporary directory, and try again.",
                store: self.original,
                underlying: error
            )
        }
        url = directory.url.appending(path: "copy")
        let needed = byteCount.multipliedReportingOverflow(by: 2).partialValue
        if let free = FreeSpace.bytes(at: directory.url.path), free < needed {
            throw MoltError(
                .storeFailed,
                "The copy for the \(purpose.rawValue) needs \(needed) bytes in \(CopyDirectory.parent.path), where only "
                    + "\(free) are free.",
                advice: "Free some space, and try again.",
                store: self.original,
                underlying: DurableFile.Failure(number: ENOSPC)
            )
        }
        do { try FileStatus.create(url.path, mayExist: true) } catch { throw ofOriginal(error) }
    }

    /// Copies the original if it has our tables, without writing to it; otherwise the file stays empty.
    ///
    /// - Parameter check: Called after each quarter of a megabyte; throws to stop.
    func fill(_ check: () throws -> Void) throws {
        var stop: (any Error)?
        _ = try FileProbe.look(original) { source throws(SQLiteError) in
            try source.copy(into: Connection(url.path, mode: .readWrite)) {
                do { try check() } catch { stop = error }
                return stop != nil
            }
        }
        if let stop { throw stop }
    }

    /// An error with the name of the original instead of the file's.
    func ofOriginal(_ error: any Error) -> any Error {
        guard var error = error as? MoltError else { return error }
        error.problem.replace(url.path, with: original)
        error.store = original
        return error
    }
}
