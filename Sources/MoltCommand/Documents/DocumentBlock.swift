import Foundation
import Molt

/// Lines that are read, upgraded and written together.
struct DocumentBlock {
    /// The lines with their line breaks.
    var input: [UInt8] = []
    private(set) var output: [UInt8] = []
    private(set) var summary = DocumentSummary()
    private(set) var problems = DocumentProblems()
    /// The error of the first line that could not be upgraded, if the upgrade stopped there, and the line's number in
    /// the block.
    private(set) var failure: (line: Int, error: MoltError)?

    /// What happens to a line that cannot be upgraded.
    enum FailurePolicy {
        /// The lines after it are not upgraded.
        case stop
        /// It is left out.
        case leaveOut
        case keep
    }

    /// Upgrades the lines.
    mutating func upgrade(with upgrader: inout any LineUpgrader, onFailure policy: FailurePolicy) {
        output.removeAll(keepingCapacity: output.capacity <= 4 * input.count + 1 << 20)
        summary = DocumentSummary()
        problems.removeAll()
        failure = nil
        input.withUnsafeBytes { input in
            var start = 0
            while start < input.count, failure == nil {
                let end = Self.endOfLine(in: input, from: start)
                upgrade(UnsafeRawBufferPointer(rebasing: input[start..<end]), with: &upgrader, onFailure: policy)
                start = end
            }
        }
    }

    /// Upgrades a line.
    ///
    /// - Parameter whole: The line with its line break.
    private mutating func upgrade(
        _ whole: UnsafeRawBufferPointer,
        with upgrader: inout any LineUpgrader,
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
        do throws(MoltError) {
            summary.add(try upgrader.upgrade(text, lineBreak: lineBreak, to: &output))
            if output.count > before { output += lineBreak }
        } catch {
            output.removeLast(output.count - before)
            let error = text.starts(with: Self.byteOrderMark) ? Self.beginsWithByteOrderMark : error
            summary.failed[error.code.rawValue, default: 0] += 1
            if policy == .stop { failure = (summary.lines, error) } else { problems.add(error, inLine: summary.lines) }
            if policy == .keep { output += whole }
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static var beginsWithByteOrderMark: MoltError {
        MoltError(
            .malformedContent,
            "The line begins with a byte order mark, which is not JSON text.",
            advice: "Write UTF-8 without that mark."
        )
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
