import Molt

extension StoreShapes {
    /// Prints a table for each type.
    func print(on terminal: Terminal) {
        if types.isEmpty { terminal.say("The store has no records.") }
        for (index, type) in types.enumerated() {
            if index > 0 { terminal.say("") }
            let count = type.records == 1 ? "1 record" : "\(type.records) records"
            terminal.say(terminal.bold("\(ErrorSummary.oneLine(type.type)): \(count), \(type.kinds.text)"))
            if !type.properties.isEmpty { terminal.say("\(type.table)") }
            if let warning = type.warning { terminal.say(warning) }
        }
    }
}

extension StoreShapes.TypeShape {
    fileprivate var table: TextTable {
        let rows = properties.map { property in
            let remarks = [
                property.isSometimesNull ? "sometimes null" : nil,
                property.isSometimesMissing ? "sometimes missing" : nil,
            ]
            return [
                ErrorSummary.oneLine(property.path), property.kinds.text, "\(property.records)",
                remarks.compactMap(\.self).joined(separator: ", "),
            ]
        }
        return TextTable(rows: [["property", "kinds", "records", ""]] + rows, leftAlignedColumns: [0, 1, 3])
    }

    /// The line about properties beyond the limit; nil if there are none.
    fileprivate var warning: String? {
        guard isTruncated else { return nil }
        let location = widestObject.map { $0.isEmpty ? "the record itself" : $0 } ?? ""
        return "There are more than \(StoreShapes.propertyLimit) properties, and the others are left out. Most are in "
            + "\(ErrorSummary.oneLine(location)), whose names are probably keys of a dictionary."
    }
}

extension ShapeDifferences {
    func print(on terminal: Terminal) {
        if differences.isEmpty { terminal.say("The shapes of the records are the same.") }
        for difference in differences { terminal.say(ErrorSummary.oneLine("\(difference)")) }
        for type in truncatedTypes {
            terminal.say(
                "\(type) has more than \(StoreShapes.propertyLimit) properties; only those that were found in both stores "
                    + "are compared."
            )
        }
    }
}
