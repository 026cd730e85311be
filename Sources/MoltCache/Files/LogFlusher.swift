internal import CMoltSQLite
internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Has the system write a growing log to the disk while an upgrade goes on, so that the commit finds less to wait for.
///
/// A hint and no more: the commit syncs the log as ever. Without it the system keeps all of it until then.
final class LogFlusher {
    /// How much is handed to the disk at once, in bytes.
    private static let portion: off_t = 4 << 20

    private let descriptor: Int32
    private var flushed: off_t = 0

    /// Opens the log; nobody has locks on it that closing it could drop.
    init(_ path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Begins to write what the log has grown by; it waits only for a disk that has more to do than it can take on.
    func flush() {
        guard descriptor >= 0 else { return }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size - flushed >= Self.portion else { return }
        molt_begin_writing(descriptor, Int64(flushed), Int64(status.st_size - flushed))
        flushed = status.st_size
    }
}
