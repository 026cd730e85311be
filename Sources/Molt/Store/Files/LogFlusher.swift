internal import CMoltSQLite
internal import Foundation

/// Starts writing a growing log to disk during an upgrade, so that the commit has less to wait for.
///
/// This is only a hint: the commit syncs the log as usual. Without it, the system writes nothing before the commit.
final class LogFlusher {
    /// The minimum growth, in bytes, between two writes.
    private static let portion: off_t = 4 << 20

    private let descriptor: Int32
    private var flushed: off_t = 0

    /// Opens the log; no locks are held on it that closing could drop.
    init(_ path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Starts writing the new part of the log; blocks only when the disk's queue is full.
    func flush() {
        guard descriptor >= 0 else { return }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size - flushed >= Self.portion else { return }
        molt_begin_writing(descriptor, Int64(flushed), Int64(status.st_size - flushed))
        flushed = status.st_size
    }
}
