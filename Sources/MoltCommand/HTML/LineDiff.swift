import Molt
import MoltTesting

/// The differences between two values, by the lines of their indented JSON.
struct LineDiff {
    /// A line of one value or of both.
    enum Row: Equatable {
        case same(String, String)
        case removed(String)
        case added(String)
        /// A line for the same property, with another value.
        case changed(String, String)
        /// A number of lines that are not shown.
        case skipped(Int, Skipped)
    }

    /// Why lines are not shown; the raw value is in words.
    enum Skipped: String {
        /// They are the same, and far from a difference.
        case unchanged
        /// They follow many others of the same kind.
        case removed = "more removed"
        case added = "more added"
        /// They follow many others.
        case more
    }

    let rows: [Row]

    /// The lines around a difference that are shown.
    private static let context = 3
    /// The lines in a row that only one value has and that are shown.
    private static let longestRun = 12
    /// The rows that are shown.
    private static let longest = 80
    /// The product of the numbers of lines up to which all lines are compared with each other.
    private static let largest = 1_000_000

    /// Compares two values; nil stands for none, whose lines are all missing.
    init(before: RecordValue?, after: RecordValue?) {
        let rows = Self.compare(Self.lines(of: before)[...], Self.lines(of: after)[...])
        self.rows = Self.shortened(Self.withShortRuns(Self.collapsed(rows)))
    }

    /// A line, which is the same as another one if they differ only in a comma at the end.
    private struct Line {
        let text: String

        var content: Substring { text.hasSuffix(",") ? text.dropLast() : text[...] }

        /// The part up to the value; nil if it is no property.
        var name: Substring? { text.firstRange(of: "\": ").map { text[..<$0.upperBound] } }

        func isSame(as other: Line) -> Bool { content.utf8.elementsEqual(other.content.utf8) }
    }

    private static func lines(of value: RecordValue?) -> [Line] {
        // A value from a record is never nested too deep to be written.
        guard let json = try? value?.json() else { return [] }
        return JSONLayout.indented(json).split(separator: UInt8(ascii: "\n"))
            .map { Line(text: String(decoding: $0, as: UTF8.self)) }
    }

    private static func compare(_ old: ArraySlice<Line>, _ new: ArraySlice<Line>) -> [Row] {
        let start = zip(old, new).prefix { $0.isSame(as: $1) }.count
        let ends = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed())
        let end = ends.prefix { $0.isSame(as: $1) }.count
        return zip(old, new).prefix(start).map { .same($0.text, $1.text) }
            + compareMiddles(old.dropFirst(start).dropLast(end), new.dropFirst(start).dropLast(end))
            + zip(old.suffix(end), new.suffix(end)).map { .same($0.text, $1.text) }
    }

    /// Compares lines that begin and end with a difference.
    private static func compareMiddles(_ old: ArraySlice<Line>, _ new: ArraySlice<Line>) -> [Row] {
        guard old.count * new.count > largest else { return compareEach(old, new) }
        let anchors = anchors(old, new)
        guard !anchors.isEmpty else { return old.map { .removed($0.text) } + new.map { .added($0.text) } }
        var rows: [Row] = []
        var (oldStart, newStart) = (old.startIndex, new.startIndex)
        for anchor in anchors {
            rows += compare(old[oldStart..<anchor.old], new[newStart..<anchor.new])
            rows.append(.same(old[anchor.old].text, new[anchor.new].text))
            (oldStart, newStart) = (anchor.old + 1, anchor.new + 1)
        }
        return rows + compare(old[oldStart...], new[newStart...])
    }

    /// The lines that each value has once, as far as both have them in the same order ("patience diff").
    private static func anchors(_ old: ArraySlice<Line>, _ new: ArraySlice<Line>) -> [(old: Int, new: Int)] {
        let (oldPositions, newPositions) = (uniquePositions(old), uniquePositions(new))
        let common = oldPositions.compactMap { line, position in newPositions[line].map { (old: position, new: $0) } }
            .sorted { $0.old < $1.old }
        // The longest increasing sequence: the end of the best one of each length, and the element before each.
        var ends: [Int] = []
        var previous: [Int?] = []
        for (index, pair) in common.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if common[ends[middle]].new < pair.new { low = middle + 1 } else { high = middle }
            }
            previous.append(low > 0 ? ends[low - 1] : nil)
            if low < ends.count { ends[low] = index } else { ends.append(index) }
        }
        var result: [(old: Int, new: Int)] = []
        var next = ends.last
        while let index = next {
            result.append(common[index])
            next = previous[index]
        }
        return result.reversed()
    }

    /// The places of the lines that occur once.
    private static func uniquePositions(_ lines: ArraySlice<Line>) -> [[UInt8]: Int] {
        var positions: [[UInt8]: Int?] = [:]
        for index in lines.indices {
            let content = Array(lines[index].content.utf8)
            positions[content] = .some(positions.keys.contains(content) ? nil : index)
        }
        return positions.compactMapValues(\.self)
    }

    /// Compares each line with each (Myers).
    private static func compareEach(_ old: ArraySlice<Line>, _ new: ArraySlice<Line>) -> [Row] {
        var removed = Set<Int>()
        var inserted = Set<Int>()
        for change in Array(new).difference(from: Array(old), by: { $0.isSame(as: $1) }) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var rows: [Row] = []
        var (before, after) = (old, new)
        while !before.isEmpty || !after.isEmpty {
            let removedLines = prefix(of: &before, in: removed, from: old.startIndex)
            let addedLines = prefix(of: &after, in: inserted, from: new.startIndex)
            rows += paired(removedLines, addedLines)
            guard let left = before.popFirst(), let right = after.popFirst() else { continue }
            rows.append(.same(left.text, right.text))
        }
        return rows
    }

    /// Removes the lines at the start that only one value has.
    private static func prefix(of lines: inout ArraySlice<Line>, in changed: Set<Int>, from start: Int) -> [Line] {
        var found: [Line] = []
        while !lines.isEmpty, changed.contains(lines.startIndex - start) { found.append(lines.removeFirst()) }
        return found
    }

    /// Joins lines for the same property, in the order of both values.
    private static func paired(_ removed: [Line], _ added: [Line]) -> [Row] {
        var rows: [Row] = []
        var rest = added[...]
        for line in removed {
            let partner = line.name.flatMap { name in rest.firstIndex { $0.name == name } }
            guard let partner else {
                rows.append(.removed(line.text))
                continue
            }
            rows += rest[..<partner].map { .added($0.text) }
            rows.append(.changed(line.text, rest[partner].text))
            rest = rest[(partner + 1)...]
        }
        return rows + rest.map { .added($0.text) }
    }

    /// The rows without those that are the same and far from a difference.
    private static func collapsed(_ rows: [Row]) -> [Row] {
        var result: [Row] = []
        var same: [Row] = []
        func flush(isLast: Bool) {
            let head = result.isEmpty ? 0 : context
            let tail = isLast ? 0 : context
            if same.count > head + tail + 3 {
                result += same.prefix(head)
                result.append(.skipped(same.count - head - tail, .unchanged))
                result += same.suffix(tail)
            } else {
                result += same
            }
            same = []
        }
        for row in rows {
            if case .same = row {
                same.append(row)
            } else {
                flush(isLast: false)
                result.append(row)
            }
        }
        flush(isLast: true)
        return result
    }

    /// The rows without the later ones of many lines in a row that only one value has.
    private static func withShortRuns(_ rows: [Row]) -> [Row] {
        var result: [Row] = []
        var rest = rows[...]
        while let row = rest.first {
            let kind = row.onlyIn
            let run = kind == nil ? rest.prefix(1) : rest.prefix { $0.onlyIn == kind }
            rest = rest.dropFirst(run.count)
            if let kind, run.count > longestRun + 3 {
                result += run.prefix(longestRun) + [.skipped(run.count - longestRun, kind)]
            } else {
                result += run
            }
        }
        return result
    }

    private static func shortened(_ rows: [Row]) -> [Row] {
        let left = rows.count - longest
        return left > 1 ? rows.prefix(longest) + [.skipped(left, .more)] : rows
    }
}

extension LineDiff.Row {
    /// The kind of a line that only one value has; nil for other rows.
    fileprivate var onlyIn: LineDiff.Skipped? {
        switch self {
        case .removed: .removed
        case .added: .added
        case .same, .changed, .skipped: nil
        }
    }
}
