import MoltCore
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
        /// A number of lines that are the same and far from a difference, or too many to show.
        case skipped(Int, areSame: Bool)
    }

    let rows: [Row]

    /// The lines around a difference that are shown.
    private static let context = 3
    /// The lines of a value that are compared, and those that are shown.
    private static let limits = (compared: 1_000, shown: 80)

    /// Compares two values; nil stands for none, whose lines are all missing.
    init(before: RecordValue?, after: RecordValue?) {
        let (old, new) = (Self.lines(of: before), Self.lines(of: after))
        let start = zip(old, new).prefix { $0.isSame(as: $1) }.count
        let end = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0.isSame(as: $1) }
            .count
        let middle = (old: old[start..<old.count - end], new: new[start..<new.count - end])
        var rows = zip(old, new).prefix(start).map { Row.same($0.text, $1.text) }
        rows += Self.compare(middle.old.prefix(Self.limits.compared), middle.new.prefix(Self.limits.compared))
        let left = max(middle.old.count, middle.new.count) - Self.limits.compared
        if left > 0 { rows.append(.skipped(left, areSame: false)) }
        rows += zip(old.suffix(end), new.suffix(end)).map { .same($0.text, $1.text) }
        self.rows = Self.shortened(Self.collapsed(rows))
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
        let difference = Array(new).difference(from: Array(old)) { $0.isSame(as: $1) }
        var removed = Set<Int>()
        var inserted = Set<Int>()
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var rows: [Row] = []
        var (before, after) = (old[...], new[...])
        while !before.isEmpty || !after.isEmpty {
            let gone = prefix(of: &before, in: removed, from: old.startIndex)
            let come = prefix(of: &after, in: inserted, from: new.startIndex)
            rows += paired(gone, come)
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
            if same.count > head + tail + 1 {
                result += same.prefix(head)
                result.append(.skipped(same.count - head - tail, areSame: true))
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

    private static func shortened(_ rows: [Row]) -> [Row] {
        let left = rows.count - limits.shown
        return left > 1 ? rows.prefix(limits.shown) + [.skipped(left, areSame: false)] : rows
    }
}
