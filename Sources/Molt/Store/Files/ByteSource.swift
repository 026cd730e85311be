internal import Foundation

/// Random access to the bytes of a file or of an array.
package final class ByteSource {
    package let count: Int
    private let descriptor: Int32
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        count = bytes.count
        descriptor = -1
    }

    /// Opens a file that this process does not have open otherwise; nil when it cannot be read.
    package init?(path: String) {
        var status = stat()
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            // Close here: `deinit` does not run before all properties are set.
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        bytes = []
        count = Int(clamping: status.st_size)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The bytes of a range; nil unless all of them exist.
    package func read(at offset: Int, _ length: Int) -> [UInt8]? {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
        guard descriptor >= 0 else { return Array(bytes[offset..<offset + length]) }
        let found = [UInt8](unsafeUninitializedCapacity: length) { buffer, filled in
            while filled < length {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let got = pread(descriptor, rest.baseAddress, length - filled, off_t(offset + filled))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return }
                filled += got
            }
        }
        return found.count == length ? found : nil
    }
}

extension [UInt8] {
    /// A big-endian integer of 2 bytes; the caller has checked the bounds.
    package func number16(at offset: Int) -> Int {
        Int(self[offset]) << 8 | Int(self[offset + 1])
    }

    /// A big-endian integer of 4 bytes; the caller has checked the bounds.
    package func number32(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
            | UInt32(self[offset + 3])
    }
}
