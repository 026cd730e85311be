/// A text table with aligned columns; the first row is the heading.
package struct TextTable: CustomStringConvertible {
    private let rows: [[String]]
    private let leftAlignedColumns: Set<Int>

    /// Creates a table; columns that are not left-aligned are right-aligned.
    package init(rows: [[String]], leftAlignedColumns: Set<Int>) {
        self.rows = rows
        self.leftAlignedColumns = leftAlignedColumns
    }

    /// The table: a line per row, with a rule under the heading.
    package var description: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        var lines = rows.map { row in
            row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return leftAlignedColumns.contains(column) ? cell + space : space + cell
            }
            .joined(separator: "  ")
        }
        if !lines.isEmpty {
            lines.insert(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "), at: 1)
        }
        return lines.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        .joined(separator: "\n")
    }
}
