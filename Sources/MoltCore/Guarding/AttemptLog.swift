package import Foundation
internal import MoltPlatform

/// A small file beside a store that lists upgrades which have begun and not ended.
///
/// Only the holder of the store's write lock writes it; any process may read it. Each line is one attempt, as a JSON
/// object. An upgrade that ends, with or without an error, removes the file. The file need not survive a power loss,
/// and a failure to write it does not stop an upgrade.
package struct AttemptLog: Sendable {
    /// The maximum number of bytes that are read, from the end of the file.
    private static let sizeLimit: UInt64 = 65_536

    private let path: String

    package init(_ url: URL) {
        path = url.path
    }

    /// The attempts that have begun and not ended, in order.
    package func attempts() -> [UpgradeAttempt] {
        // Open without blocking or following links: only a regular file is ours.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // An unreadable file must not prevent the opening of the store.
        guard isFile(descriptor), let size = try? file.seekToEnd(),
            (try? file.seek(toOffset: size > Self.sizeLimit ? size - Self.sizeLimit : 0)) != nil,
            let bytes = try? file.read(upToCount: Int(Self.sizeLimit))
        else { return [] }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            // A kill may have truncated the last line.
            try? JSONDecoder().decode(UpgradeAttempt.self, from: line)
        }
    }

    /// The attempt in progress, unless its process has ended.
    package func holder() -> UpgradeAttempt? {
        guard let last = attempts().last, last.isAlive != false else { return nil }
        return last
    }

    package func clear() {
        guard let status = status(), status == S_IFREG else { return }
        unlink(path)
    }

    func begin(_ attempt: UpgradeAttempt) {
        // Encoding strings, numbers and dates cannot fail.
        guard var bytes = try? JSONEncoder().encode(attempt) else { return }
        // Start a new line, as the previous one may be truncated.
        bytes = Data("\n".utf8) + bytes + Data("\n".utf8)
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = open(path, flags, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard isFile(descriptor) else { return }
        DeviceBackup.exclude(path)
        // A full disk may truncate the line; the reader skips it.
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }

    private func isFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The file type at the path; nil when nothing is there.
    private func status() -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}

extension UpgradeAttempt {
    /// Whether its process is still running; nil if the system does not say.
    var isAlive: Bool? {
        if processID == getpid() { return processStart == ProcessStart.current }
        guard processID > 0, kill(processID, 0) == 0 || errno == EPERM else { return false }
        guard let processStart, let start = ProcessStart.of(processID) else { return nil }
        return start == processStart
    }
}
