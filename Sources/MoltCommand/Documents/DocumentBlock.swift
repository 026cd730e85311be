import Foundation
import Molt

/// Lines that are read, upgraded and written together.
struct DocumentBlock {
    /// The lines with their line breaks.
    var input: [UInt8] = []
    private(set) var output: [UInt8] = []
    private(set) var summary = DocumentSummary()
    private(set) var problems: [Problem] = []

    /// A line that could not be upgraded.
    struct Problem {
        /// Counted from the first line of the block, which has the number 1.
        let line: Int
        let error: MoltError

        /// A line of the file for problems.
        ///
        /// - Parameter earlier: The number of lines before the block.
        func json(after earlier: Int) throws -> Data {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let text = Text(
                line: earlier + line,
                key: error.key,
                type: error.type,
                code: error.code.rawValue,
                migration: error.migration?.name,
                message: error.message,
                cause: error.underlying.map { ErrorSummary.line(of: $0) }
            )
            return try encoder.encode(text) + [0x0A]
        }

        private struct Text: Encodable {
            var line: Int
            var key, type: String?
            var code: String
            var migration: String?
            var message: String
            /// The error of a closure or a decoder, without its values.
            var cause: String?
        }
    }

    /// What happens to a line that cannot be upgraded.
    enum FailurePolicy {
        /// The lines after it are not upgraded.
        case stop
        /// It is left out.
        case leaveOut
        case keep
    }

    /// Upgrades the lines.
    mutating func upgrade(with lines: inout DocumentLines, onFailure policy: FailurePolicy) {
        output.removeAll(keepingCapacity: output.capacity <= 4 * input.count + 1 << 20)
        summary = DocumentSummary()
        problems = []
        input.withUnsafeBytes { input in
            var start = 0
            while start < input.count {
                let end = Self.endOfLine(in: input, from: start)
                let line = UnsafeRawBufferPointer(rebasing: input[start..<end])
                upgrade(line, with: &lines, onFailure: policy)
                if policy == .stop, !problems.isEmpty { return }
                start = end
            }
        }
    }

    /// Upgrades a line.
    ///
    /// - Parameter whole: The line with its line break.
    private mutating func upgrade(
        _ whole: UnsafeRawBufferPointer,
        with lines: inout DocumentLines,
        onFailure policy: FailurePolicy
    ) {
        summary.lines += 1
        let text = Self.withoutLineBreak(whole)
        guard text.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else {
            summary.empty += 1
            output += whole
            return
        }
        let lineBreak = UnsafeRawBufferPointer(rebasing: whole[text.count...])
        let before = output.count
        do {
            let result = try lines.upgrade(text, lineBreak: lineBreak, to: &output)
            summary.add(result)
            if output.count > before { output += lineBreak }
        } catch {
            let error =
                error as? MoltError
                ?? MoltError(.stepFailed, "The document cannot be upgraded.", underlying: error)
            summary.failed[error.code.rawValue, default: 0] += 1
            problems.append(Problem(line: summary.lines, error: error))
            if policy == .keep { output += whole }
        }
    }

    /// The position after the line break of a line.
    private static func endOfLine(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, bytes.count - start) else {
            return bytes.count
        }
        return UnsafeRawPointer(found) - base + 1
    }

    private static func withoutLineBreak(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = line.count
        if count > 0, line[count - 1] == 0x0A {
            count -= 1
            if count > 0, line[count - 1] == 0x0D { count -= 1 }
        }
        return UnsafeRawBufferPointer(rebasing: line[..<count])
    }
}
