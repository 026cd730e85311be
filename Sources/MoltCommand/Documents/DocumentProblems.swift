import Molt

/// The lines of a block that could not be upgraded, as text of the file for problems.
struct DocumentProblems {
    /// JSON lines that still lack their beginnings, because only the turn of the block tells their numbers.
    private var unnumberedLines: [UInt8] = []
    /// Counted from the first line of the block, which has the number 1, with the end of each of them.
    private var lines: [(number: Int, end: Int)] = []

    mutating func removeAll() {
        // The buffers of many problems are freed.
        guard unnumberedLines.count <= 1 << 20 else {
            self = Self()
            return
        }
        unnumberedLines.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
    }

    mutating func add(_ error: MoltError, inLine number: Int) {
        let texts: [(String, String?)] = [
            ("key", error.key),
            ("type", error.type),
            ("code", error.code.rawValue),
            ("migration", error.migration?.name),
            ("message", error.message),
            // The error of a closure or a decoder, without its values.
            ("cause", error.underlying.map { ErrorSummary.line(of: $0) }),
        ]
        let members = texts.compactMap { name, text in text.map { (name: name, value: RecordValue.string($0)) } }
        unnumberedLines += RecordValue.Object(members).description.utf8.dropFirst()
        unnumberedLines.append(0x0A)
        lines.append((number, unnumberedLines.count))
    }

    /// - Parameter earlier: The number of lines before the block.
    func text(after earlier: Int) -> [UInt8] {
        var text: [UInt8] = []
        var start = 0
        for (number, end) in lines {
            text += "{\"line\":\(earlier + number),".utf8
            text += unnumberedLines[start..<end]
            start = end
        }
        return text
    }
}
