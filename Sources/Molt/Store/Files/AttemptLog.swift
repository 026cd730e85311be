internal import Foundation

/// A small file beside a store that lists upgrades which have begun and not ended.
///
/// The holder of the store's write lock adds to it; any process may read it. Each line is one attempt, as a JSON
/// object. An upgrade that ends, with or without an error, removes the file, after a commit without the lock. The file
/// need not survive a power loss, and a failure to write it does not stop an upgrade.
package struct AttemptLog: Sendable {
    private let files: StoreFiles
    private let path: String

    /// Creates the log of a store; no file is read.
    package init(of storeName: String) {
        files = StoreFiles(storeName)
        path = files.attempts
    }

    /// Creates the log of work after the commits of a store; the holder of the lock on that work adds to it.
    init(ofWorkIn files: StoreFiles) {
        self.files = files
        path = files.workAttempts
    }

    /// Whether an upgrade has begun and not ended.
    var exists: Bool { FileStatus.unfollowed(path) != nil }

    /// The attempts that have begun and not ended, in order.
    func attempts() -> [UpgradeAttempt] {
        // An unreadable file must not prevent the store from being opened.
        guard let bytes = try? DurableFile.read(path) else { return [] }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            // A kill may have truncated the last line.
            try? JSONDecoder().decode(UpgradeAttempt.self, fromStored: line)
        }
    }

    /// The attempt in progress, unless no process has its identifier any more.
    package func holder() -> UpgradeAttempt? {
        guard let last = attempts().last, last.processID > 0 else { return nil }
        // A process of another user exists, but may not be signalled.
        return kill(last.processID, 0) == 0 || errno == EPERM ? last : nil
    }

    func clear() {
        if FileStatus.unfollowed(path)?.isFile == true { unlink(path) }
    }

    /// Removes the attempts at the work of a migration.
    func end(work name: String) {
        replace(by: attempts().filter { $0.work != name })
    }

    /// Moves the attempts to the log of a store's other place, of which earlier ones do not count.
    func move(to other: AttemptLog) {
        let attempts = attempts()
        // An interrupted move may have taken them there already.
        guard !attempts.isEmpty else { return }
        other.replace(by: attempts)
        clear()
    }

    /// Puts other attempts in the place of all; a kill leaves either.
    private func replace(by attempts: [UpgradeAttempt]) {
        guard !attempts.isEmpty else { return clear() }
        do {
            let (part, _) = try files.begin(.aside, version: nil, at: Date())
            try part.write(attempts.map(Self.line).reduce(Data(), +))
            DeviceBackup.exclude(part.path)
            try part.replace(path)
        } catch {
            // On a full disk, it is better to try too often than not at all.
            clear()
        }
    }

    private static func line(of attempt: UpgradeAttempt) -> Data {
        // Encoding strings, numbers and dates cannot fail.
        guard let bytes = try? JSONEncoder().encode(attempt) else { return Data() }
        // Start a new line, as the previous one may be truncated.
        return Data("\n".utf8) + bytes + Data("\n".utf8)
    }

    func begin(_ attempt: UpgradeAttempt) {
        let bytes = Self.line(of: attempt)
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = open(path, flags, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard DurableFile.isFile(descriptor) else { return }
        DeviceBackup.exclude(path)
        // A full disk may truncate the line; the reader skips it.
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
