import Foundation

/// Figures as text, with no more digits than are worth reading.
enum FigureText {
    /// 1234567 as "1 234 567".
    static func grouped(_ value: Int) -> String {
        var groups: [Substring] = []
        var digits = String(value)[...]
        while digits.count > 3 {
            groups.append(digits.suffix(3))
            digits = digits.dropLast(3)
        }
        return ([digits] + groups.reversed()).joined(separator: " ")
    }

    /// A rate: three figures that count; more would be noise.
    static func rate(_ value: Double) -> String {
        guard value >= 1000 else { return grouped(Int(value.rounded())) }
        let unit = pow(10, (log10(value)).rounded(.down) - 2)
        return grouped(Int((value / unit).rounded() * unit))
    }

    /// Megabytes per second.
    static func megabytes(_ value: Double) -> String {
        value < 10 ? String(format: "%.1f", value) : rate(value)
    }

    /// A duration.
    static func seconds(_ value: Double) -> String {
        String(format: value < 1 ? "%.4f" : "%.3f", value)
    }

    /// How many times as much.
    static func factor(_ value: Double) -> String {
        if value > 0, value < 0.1 { return String(format: "1/%.0f", 1 / value) }
        return String(format: value < 10 ? "%.2f" : "%.0f", value)
    }

    /// A part of a whole, from 0 to 1.
    static func percent(_ part: Double) -> String {
        String(format: "%.0f %%", part * 100)
    }

    /// A figure with what it counts.
    static func figure(_ value: Double, _ quantity: BenchmarkOutcome.Quantity) -> String {
        switch quantity {
        case .factor: factor(value)
        case .extraMegabytes: String(format: "%+.1f MB", value)
        case .perSecond: rate(value) + "/s"
        case .megabytesPerSecond: megabytes(value) + " MB/s"
        }
    }

    /// A limit in words.
    static func limit(_ goal: BenchmarkGoal, _ quantity: BenchmarkOutcome.Quantity) -> String {
        switch goal {
        case .atLeast(let limit): "at least \(figure(limit, quantity))"
        case .atMost(let limit): "at most \(figure(limit, quantity))"
        }
    }

    /// Aligns cells in columns; the columns that are not leading are aligned to the right.
    static func columns(_ rows: [[String]], leading: Set<Int>) -> String {
        var widths: [Int: Int] = [:]
        for row in rows {
            for (index, cell) in row.enumerated() { widths[index] = max(widths[index] ?? 0, cell.count) }
        }
        let lines = rows.map { row in
            let cells = row.enumerated().map { index, cell in
                let padding = String(repeating: " ", count: (widths[index] ?? 0) - cell.count)
                return leading.contains(index) ? cell + padding : padding + cell
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
        return lines.joined(separator: "\n")
    }
}
