internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A file that is written piece by piece, and that has its name only when it is whole and on disk.
///
/// Until then it is beside the place where it is to be, under a name of its own. Only its owner may use it. What is at
/// the place already, be it a link to nowhere, is never replaced.
struct NewFile: ~Copyable {
    /// Why a call to the system failed.
    enum Failure: Error {
        /// There is something at the path.
        case exists
        /// The system's number for the reason.
        case system(Int32)
    }

    private let path: String
    private let part: String
    private let descriptor: Int32

    /// Begins a file.
    init(_ path: String) throws(Failure) {
        guard FileStatus.unfollowed(path) == nil else { throw .exists }
        let part = "\(path).\(UUID().uuidString).part"
        let descriptor = open(part, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw .system(errno) }
        self.path = path
        self.part = part
        self.descriptor = descriptor
    }

    deinit {
        // When it has its name, this is the other one.
        close(descriptor)
        unlink(part)
    }

    /// Writes what comes next.
    func write(_ bytes: Data) throws(Failure) {
        let number = bytes.withUnsafeBytes { bytes -> Int32 in
            var written = 0
            while written < bytes.count {
                let count = Self.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                if count < 0, errno != EINTR { return errno }
                written += max(count, 0)
            }
            return 0
        }
        guard number == 0 else { throw .system(number) }
    }

    /// Gives the file its name, when all of it is on disk.
    consuming func finish() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw .system(errno) }
        if link(part, path) != 0 {
            guard errno != EEXIST else { throw .exists }
            // A volume without hard links.
            guard FileStatus.unfollowed(path) == nil else { throw .exists }
            guard rename(part, path) == 0 else { throw .system(errno) }
        }
        let directory = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .system(errno) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw .system(errno) }
    }

    private static func write(_ descriptor: Int32, _ base: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
            Darwin.write(descriptor, base, count)
        #elseif canImport(Musl)
            Musl.write(descriptor, base, count)
        #else
            Glibc.write(descriptor, base, count)
        #endif
    }
}
