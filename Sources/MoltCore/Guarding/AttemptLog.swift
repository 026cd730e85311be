package import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Notes, in a small file beside a store, upgrades that have begun and not ended.
///
/// Only the holder of the store's write lock writes it; any process may read it. Each line is an attempt, as a JSON object.
/// An upgrade that ends, with an error or without, removes the file. It need not survive a loss of power, and a note that
/// cannot be written stops no upgrade.
package struct AttemptLog: Sendable {
    /// What is read of the file, at most, in bytes: its end.
    private static let sizeLimit: UInt64 = 65_536

    private let path: String

    /// Creates a log in a file, which is not touched.
    package init(_ url: URL) {
        path = url.path
    }

    /// The attempts that have begun and not ended, in their order.
    package func attempts() -> [UpgradeAttempt] {
        // Without waiting, and without following a link: only a regular file is ours.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // An unreadable file must not keep the store from being opened.
        guard isFile(descriptor), let size = try? file.seekToEnd(),
            (try? file.seek(toOffset: size > Self.sizeLimit ? size - Self.sizeLimit : 0)) != nil,
            let bytes = try? file.read(upToCount: Int(Self.sizeLimit))
        else { return [] }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            // A kill may have cut off the last line.
            try? JSONDecoder().decode(UpgradeAttempt.self, from: line)
        }
    }

    /// The attempt that is under way, unless its process is gone.
    package func holder() -> UpgradeAttempt? {
        guard let last = attempts().last, last.isAlive != false else { return nil }
        return last
    }

    /// Forgets all attempts: the last one has ended, or has come so far that those before do not count.
    package func clear() {
        guard let status = status(), status == S_IFREG else { return }
        unlink(path)
    }

    /// Notes that an attempt begins.
    func begin(_ attempt: UpgradeAttempt) {
        // Strings, numbers and dates can always be encoded.
        guard var bytes = try? JSONEncoder().encode(attempt) else { return }
        // On a line of its own, also after one that was cut off.
        bytes = Data("\n".utf8) + bytes + Data("\n".utf8)
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = open(path, flags, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard isFile(descriptor) else { return }
        // The reader skips a line that a full disk has cut off.
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }

    private func isFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The kind of what is at the path; nil when nothing is.
    private func status() -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}

extension UpgradeAttempt {
    /// Whether its process is still there; nil where the system does not say.
    var isAlive: Bool? {
        if processID == getpid() { return processStart == ProcessStart.current }
        guard processID > 0, kill(processID, 0) == 0 || errno == EPERM else { return false }
        guard let processStart, let start = ProcessStart.of(processID) else { return nil }
        return start == processStart
    }
}
