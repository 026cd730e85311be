internal import Foundation
internal import MoltCore

/// The shapes of the types that are written: each is compared once with what the file has kept of it.
extension CacheSession {
    /// Compares the shape that comes with a value, inside the transaction that writes the value, and keeps it.
    ///
    /// What was kept at another schema version says nothing about this one.
    func compareShape(_ first: FirstShape, of typeName: String) throws(SQLiteError) {
        guard !knownTypes.contains(first.type) else { return }
        let shape = first.shape
        let table = ShapeTable(connection)
        let kept = try table.shape(of: typeName, version: version)
        if let kept {
            let differences = shape.differences(from: kept)
            // Without a record of it, there is none that would have the other shape.
            if !differences.isEmpty, try hasRecords(ofType: typeName) {
                let drift = SchemaDrift(
                    type: typeName,
                    version: version,
                    differences: differences,
                    namesakes: namesakes(of: typeName, first)
                )
                if driftPolicy == .fail {
                    refusal = .drifted(drift, in: path)
                    throw SQLiteError(extendedCode: 0, message: "drift")
                }
                drifts.append(drift)
                newTypes.append((typeName, first))
                return
            }
            let all = differences.isEmpty ? kept.merged(with: shape) : shape
            if all != kept { try table.keep(all, of: typeName, version: version) }
        } else {
            try table.keep(shape, of: typeName, version: version)
        }
        newTypes.append((typeName, first))
    }

    /// What a type and those that were written under its name before are called in code; none when it is the only one.
    private func namesakes(of typeName: String, _ first: FirstShape) -> [String] {
        var names = knownTypes.codeNames(of: typeName)
        for other in newTypes where other.typeName == typeName { names.insert(other.first.codeName) }
        names.insert(first.codeName)
        return names.count > 1 ? names.sorted() : []
    }

    private func hasRecords(ofType type: String) throws(SQLiteError) -> Bool {
        let statement = try statements[.hasType]
        // Those that have expired are no longer read.
        try statement.bind(now, at: 1)
        try statement.bind(type, at: 2)
        return try statement.first { $0.integer(0) } ?? 0 != 0
    }
}

extension CodableCache {
    /// The shape that a value shows; of what is in an optional, as that is what is stored.
    func firstShape<Value: Encodable>(of value: Value, content: Data) -> FirstShape {
        var shape = TypeShape.of(value, coding: configuration.coding, content: content)
        shape.isOptional = false
        return FirstShape(type: ObjectIdentifier(Value.self), codeName: StaticShape.codeName(Value.self), shape: shape)
    }
}
