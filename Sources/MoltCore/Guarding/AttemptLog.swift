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
/// Only who holds the store's write lock writes it; anybody may read it. A line is a JSON object: an attempt, or the
/// migrations that the attempt before it has come to. The file is gone when an upgrade has ended in good order. It need not
/// outlive a loss of power, and what cannot be noted stops no upgrade.
package struct AttemptLog: Sendable {
    /// What is read of the file, at most, in bytes: its end.
    private static let sizeLimit: UInt64 = 65_536

    private let path: String

    /// Creates a log in a file, which is not touched.
    package init(_ url: URL) {
        path = url.path
    }

    /// A line of the file.
    private struct Line: Codable {
        var attempt: UpgradeAttempt?
        var migrations: [MigrationID]?
    }

    /// The attempts that have begun and not ended, in their order.
    package func attempts() -> [UpgradeAttempt] {
        // Without waiting, and without following a link: what is not a plain file is not ours.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // What cannot be read says nothing of attempts, and must not keep the store from being opened.
        guard isFile(descriptor), let size = try? file.seekToEnd(),
            (try? file.seek(toOffset: size > Self.sizeLimit ? size - Self.sizeLimit : 0)) != nil,
            let bytes = try? file.read(upToCount: Int(Self.sizeLimit))
        else { return [] }
        var attempts: [UpgradeAttempt] = []
        for text in bytes.split(separator: UInt8(ascii: "\n")) {
            // The last line may have been cut off by the kill.
            guard let line = try? JSONDecoder().decode(Line.self, from: text) else { continue }
            if let attempt = line.attempt { attempts.append(attempt) }
            if let migrations = line.migrations, !attempts.isEmpty {
                attempts[attempts.count - 1].migrations = migrations
            }
        }
        return attempts
    }

    /// The attempt that is under way, unless its process is gone.
    package func holder() -> UpgradeAttempt? {
        guard let last = attempts().last, last.isAlive != false else { return nil }
        return last
    }

    /// Notes that an attempt begins.
    func begin(_ attempt: UpgradeAttempt) {
        append(Line(attempt: attempt))
    }

    /// Notes which migrations the attempt has come to.
    func note(_ migrations: [MigrationID]) {
        append(Line(migrations: migrations))
    }

    /// Forgets all attempts: the last one has ended, or has come so far that those before do not count.
    package func clear() {
        guard let status = status(), status == S_IFREG else { return }
        unlink(path)
    }

    private func append(_ line: Line) {
        // Texts, numbers and times can always be encoded.
        guard var bytes = try? JSONEncoder().encode(line) else { return }
        // A line of its own, also behind one that was cut off.
        bytes = Data("\n".utf8) + bytes + Data("\n".utf8)
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = open(path, flags, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard isFile(descriptor) else { return }
        // A line that is cut off by a full disk is passed over by who reads it.
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
