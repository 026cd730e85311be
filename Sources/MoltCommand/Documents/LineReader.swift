import Foundation
import Molt

/// Reads blocks of whole lines.
struct LineReader: Sendable {
    private let descriptor: Descriptor
    private let longestLine: Int
    /// The beginning of a line whose rest is not read yet.
    private var rest: [UInt8] = []
    private var isAtEnd = false

    /// The size of a pipe's buffer, which also bounds the memory of a block and of its problems.
    private static let sizeOfRead = 64 << 10

    init(_ descriptor: Int32, longestLine: Int) {
        self.descriptor = Descriptor(descriptor)
        self.longestLine = longestLine
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
            guard block.count <= longestLine else {
                isAtEnd = true
                throw CommandError(
                    "a line of the input has more than \(longestLine >> 20) MiB",
                    code: ExitCode.trouble
                )
            }
        }
        return !block.isEmpty
    }

    private mutating func readMore(into block: inout [UInt8]) throws(CommandError) {
        var failure: Descriptor.Failure?
        block.append(upTo: Self.sizeOfRead) { free in
            do throws(Descriptor.Failure) {
                return try descriptor.read(into: free)
            } catch {
                failure = error
                return 0
            }
        }
        guard let failure else { return }
        isAtEnd = true
        throw CommandError("the input cannot be read: \(failure.reason)", code: ExitCode.trouble)
    }
}
