import Foundation
import Molt

/// Reads blocks of whole lines.
struct LineReader: Sendable {
    private let descriptor: Int32
    /// The beginning of a line whose rest is not read yet.
    private var rest: [UInt8] = []
    private var isAtEnd = false

    /// The most bytes that a line may have.
    static let longestLine = 512 << 20
    private static let sizeOfRead = 256 << 10

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Reads the next lines, as many as are there, but at least one.
    ///
    /// - Parameter block: Gets the lines with their line breaks, which only the last line of all may lack.
    /// - Returns: Whether there are more lines.
    /// - Throws: ``CommandError`` if reading fails, or if a line is too long; then there are no more lines.
    mutating func read(into block: inout [UInt8]) throws(CommandError) -> Bool {
        // The buffers of a very long line are freed.
        block.removeAll(keepingCapacity: block.capacity <= 4 * Self.sizeOfRead)
        swap(&block, &rest)
        while !isAtEnd {
            let start = block.count
            try readMore(into: &block)
            isAtEnd = block.count == start
            if let last = block[start...].lastIndex(of: UInt8(ascii: "\n")) {
                rest += block[(last + 1)...]
                block.removeSubrange((last + 1)...)
                return true
            }
            guard block.count <= Self.longestLine else {
                isAtEnd = true
                throw CommandError(
                    "a line of the input has more than \(Self.longestLine >> 20) MiB",
                    code: ExitCode.trouble
                )
            }
        }
        return !block.isEmpty
    }

    private mutating func readMore(into block: inout [UInt8]) throws(CommandError) {
        var (count, number) = (0, Int32(0))
        block.append(upTo: Self.sizeOfRead) { free in
            repeat {
                count = systemRead(descriptor, free.baseAddress, free.count)
                number = errno
            } while count < 0 && number == EINTR
            return max(0, count)
        }
        guard count >= 0 else {
            isAtEnd = true
            throw CommandError("the input cannot be read: \(String(cString: strerror(number)))", code: ExitCode.trouble)
        }
    }
}

/// The system call, whose name the method above also has.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
