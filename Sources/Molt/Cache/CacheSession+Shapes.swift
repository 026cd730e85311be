internal import Foundation

/// Compares the shape of each written type, once, with the stored one.
extension CacheSession {
    /// Compares the shape of a value with the stored one, inside the transaction that writes the value, and stores it.
    ///
    /// A shape stored at another schema version is ignored.
    func compareShape(_ first: FirstShape, of typeName: String) throws(SQLiteError) {
        guard !knownTypes.contains(first.type) else { return }
        let shape = first.shape
        let table = ShapeTable(connection)
        let kept = try table.shape(of: typeName, version: version)
        if let kept {
            let differences = shape.differences(from: kept)
            // Without a live record of the type, no record has the other shape.
            if !differences.isEmpty, try hasRecords(ofType: typeName) {
                let drift = SchemaDrift(type: typeName, version: version, differences: differences)
                if mismatches == .fail {
                    refusal = .drifted(drift, in: path)
                    throw SQLiteError(extendedCode: 0, message: "drift")
                }
                drifts.append(drift)
                newTypes.append(first.type)
                return
            }
            let all = differences.isEmpty ? kept.merged(with: shape) : shape
            if all != kept { try table.keep(all, of: typeName, version: version) }
        } else {
            try table.keep(shape, of: typeName, version: version)
        }
        newTypes.append(first.type)
    }

    private func hasRecords(ofType type: String) throws(SQLiteError) -> Bool {
        let statement = try statements[.hasType]
        // Expired records are never read.
        try statement.bind(now, at: 1)
        try statement.bind(type, at: 2)
        return try statement.first { $0.integer(0) } ?? 0 != 0
    }
}

extension CodableCache {
    /// The shape of a value; for an optional, the shape of the wrapped value, as that is stored.
    func firstShape<Value: Encodable>(of value: Value, content: Data) -> FirstShape {
        var shape = TypeShape.of(value, coding: coding, content: content)
        shape.isOptional = false
        #if DEBUG
            warnOfKeys(of: RecordTypeName.of(Value.self), shape, in: content)
        #endif
        return FirstShape(type: ObjectIdentifier(Value.self), shape: shape)
    }

    #if DEBUG
        /// Warns, on standard error, of steps to the newest version that have taken keys for elements.
        private func warnOfKeys(of type: String, _ shape: TypeShape, in content: Data) {
            let steps = migrations.stepsOnElements(of: type, newest: migrations.version)
            guard !steps.isEmpty else { return }
            for warning in steps.onKeys(shape, in: Array(content)) { DebugWarning.print(warning) }
        }
    #endif
}
