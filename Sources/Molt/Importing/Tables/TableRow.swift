/// Writes the content of a record for a row: the objects and properties that its cells become.
struct TableRow {
    private indirect enum Node {
        case cell(Int)
        case object([(name: [UInt8], node: Node)])
    }

    private let cells: [TableCell]
    private let paths: [PropertyPath]
    private let root: Node

    /// - Parameter cells: The cells in order, each with the path of its property.
    init(_ cells: [(path: PropertyPath, cell: TableCell)]) {
        self.cells = cells.map(\.cell)
        paths = cells.map(\.path)
        root = Self.object(cells.indices.map { ($0, cells[$0].path.names[...]) })
    }

    /// The object of cells, with the rests of their paths.
    private static func object(_ cells: [(index: Int, path: ArraySlice<String>)]) -> Node {
        var members: [(name: String, node: Node)] = []
        for (index, path) in cells {
            guard let name = path.first, !members.contains(where: { $0.name == name }) else { continue }
            let inside = cells.filter { $0.path.first == name }.map { ($0.index, $0.path.dropFirst()) }
            members.append((name, path.count == 1 ? .cell(index) : object(inside)))
        }
        return .object(
            members.map { name, node in
                var bytes: [UInt8] = []
                JSONString.write(name, to: &bytes)
                return (bytes + [UInt8(ascii: ":")], node)
            }
        )
    }

    /// A cell that cannot be converted.
    struct Fault: Error {
        var path: PropertyPath
        var column: TableColumn
        var reason: String
    }

    /// Writes the content.
    ///
    /// - Throws: ``Fault``.
    func write(_ row: Statement, to bytes: inout [UInt8]) throws {
        _ = try write(root, row, isRoot: true, to: &bytes)
    }

    /// - Returns: Whether there is a value; an object inside has none if none of its cells has.
    private func write(_ node: Node, _ row: Statement, isRoot: Bool = false, to bytes: inout [UInt8]) throws -> Bool {
        switch node {
        case .cell(let index):
            do {
                return try cells[index].write(row, to: &bytes)
            } catch let fault as TableCell.Fault {
                throw Fault(path: paths[index], column: cells[index].column, reason: fault.reason)
            }
        case .object(let members):
            let start = bytes.count
            bytes.append(UInt8(ascii: "{"))
            var isEmpty = true
            for (name, node) in members {
                let end = bytes.count
                if !isEmpty { bytes.append(UInt8(ascii: ",")) }
                bytes += name
                if try write(node, row, to: &bytes) { isEmpty = false } else { bytes.removeSubrange(end...) }
            }
            bytes.append(UInt8(ascii: "}"))
            guard isEmpty, !isRoot else { return true }
            bytes.removeSubrange(start...)
            return false
        }
    }

    /// The cells as they are in the row, by the names of their columns; what is not text is in Base64.
    func raw(_ row: Statement, key: TableCell) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        var names: Set<String> = []
        for cell in [key] + cells {
            let name = (cell.column.reference.map { $0.table + "." } ?? "") + cell.column.name
            guard names.insert(name).inserted else { continue }
            if names.count > 1 { bytes.append(UInt8(ascii: ",")) }
            JSONString.write(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            cell.writeRaw(row, to: &bytes)
        }
        return bytes + [UInt8(ascii: "}")]
    }
}
