import Molt

/// What became of the documents of a stream.
package struct DocumentSummary: Equatable, Sendable {
    /// The number of lines, also of empty ones.
    package var lines = 0
    package var empty = 0
    /// The documents with a new content, type, key or expiration, and not only a new version.
    package var changed = 0
    package var dropped = 0
    package var extracted = 0
    /// The documents that could not be upgraded, by the code of the error.
    package var failed: [String: Int] = [:]

    package init() {}

    mutating func add(_ result: LineResult) {
        if result.isChanged { changed += 1 }
        if result.isDropped { dropped += 1 }
        extracted += result.extracted
    }

    package mutating func add(_ other: Self) {
        lines += other.lines
        empty += other.empty
        changed += other.changed
        dropped += other.dropped
        extracted += other.extracted
        failed.merge(other.failed, uniquingKeysWith: +)
    }

    /// A sentence, such as "read 12 lines in 0.10 s: 3 changed, 1 dropped, 0 extracted, 2 failed (tooOld 2)".
    func text(seconds: Double) -> String {
        let hundredths = Int((seconds * 100).rounded())
        let time = "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
        let failures = failed.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "read \(lines) lines in \(time) s: \(changed) changed, \(dropped) dropped, "
            + "\(extracted) extracted, \(failed.values.reduce(0, +)) failed"
            + (failures.isEmpty ? "" : " (\(failures.joined(separator: ", ")))")
            + (empty > 0 ? ", \(empty) empty" : "")
    }
}
