internal import Foundation
internal import MoltCore

/// The shapes of the types that are written: each is compared once with what the file has kept of it.
extension CacheCore {
    /// Whether content can be written without looking at its type's shape.
    func knowsShape(of content: EncodedContent) -> Bool {
        guard let type = content.valueType else { return true }
        return knownTypes.contains(type)
    }

    /// Compares the shape that comes with a value, inside the transaction that writes the value, and keeps it.
    ///
    /// What was kept at another schema version says nothing about this one.
    func compareShape(of content: EncodedContent) throws(SQLiteError) {
        guard let type = content.valueType, let shape = content.shape, !knownTypes.contains(type) else { return }
        let table = ShapeTable(statements.connection)
        let kept = try table.shape(of: content.typeName, version: version)
        if let kept {
            let differences = shape.differences(from: kept)
            // Without a record of it, there is none that would have the other shape.
            if !differences.isEmpty, try hasRecords(ofType: content.typeName) {
                let drift = SchemaDrift(type: content.typeName, version: version, differences: differences)
                if driftPolicy == .fail {
                    refusal = .drifted(drift, in: path)
                    throw SQLiteError(extendedCode: 0, message: "drift")
                }
                drifts.append(drift)
                newTypes.append(type)
                return
            }
            let all = differences.isEmpty ? kept.merged(with: shape) : shape
            if all != kept { try table.keep(all, of: content.typeName, version: version) }
        } else {
            try table.keep(shape, of: content.typeName, version: version)
        }
        newTypes.append(type)
    }

    private func hasRecords(ofType type: String) throws(SQLiteError) -> Bool {
        let statement = try statements[.countOfType]
        // Those that have expired are no longer read.
        try statement.bind(now(), at: 1)
        try statement.bind(type, at: 2)
        return try statement.first { $0.integer(0) } ?? 0 > 0
    }
}

extension CodableCache {
    /// The shape that a value shows; of what is in an optional, as that is what is stored.
    func shape<Value: Encodable>(of value: Value) -> TypeShape {
        var shape = TypeShape.of(value, coding: configuration.coding)
        shape.isOptional = false
        return shape
    }
}
