/// The type of a value that is to be written.
///
/// Sendable because metatypes are immutable.
struct CheckedType: @unchecked Sendable {
    private let type: Any.Type

    init(_ type: Any.Type) {
        self.type = type
    }

    var id: ObjectIdentifier { ObjectIdentifier(type) }

    /// The type, if it can be decoded; looked for where the app's code may run.
    var decodable: (any Decodable.Type)? { type as? any Decodable.Type }

    /// Whether values of the type, or of the type that it wraps, have a stored type name.
    ///
    /// Records of other names were written as other types, which can read them.
    func mayHaveWritten(_ name: String) -> Bool {
        if ExactName.isSame(RecordTypeName.of(type), name) { return true }
        guard let wrapped = (type as? any AnyOptional.Type)?.wrappedType else { return false }
        return ExactName.isSame(RecordTypeName.of(wrapped), name)
    }
}

/// A record that cannot be read as the type that it was written as, and that a value of this type is to replace.
struct UnreadableRecord: Sendable {
    let id: Int64
    /// The version at which it was stored.
    let version: Int
    /// Whether it has not been through all migrations on read.
    let isOutdated: Bool
    /// Its content in bytes.
    let size: Int
    /// The error of reading it.
    let error: MoltError
}

extension MoltError {
    /// The reason in the quarantine for a record that could not be read.
    var reasonInQuarantine: String {
        ErrorSummary.oneLine([problem, (underlying as? MoltError)?.problem].compactMap(\.self).joined(separator: " "))
    }

    /// The error for a record that could not be read, and was quarantined before a value was written over it.
    var ofOverwriting: MoltError {
        var error = self
        error.problem += " It was put into quarantine before another value was written."
        error.advice =
            "If an earlier release wrote it, add a migration that converts it, and call `retryQuarantined(_:with:)`. "
            + "See `MoltConfiguration.unreadableValues`."
        return error
    }
}

/// The records that are being decoded before they are replaced, by their ids: a type may write its own record
/// meanwhile.
private enum LookedAt {
    @TaskLocal static var ids: Set<Int64> = []
}

extension CodableCache {
    /// The record that a value of a type is to replace, if the type cannot read it.
    func unreadable(_ stored: StoredContent, as type: CheckedType) -> UnreadableRecord? {
        guard type.mayHaveWritten(stored.typeName), let decodable = type.decodable else { return nil }
        do {
            guard !LookedAt.ids.contains(stored.id) else {
                throw MoltError(.unreadableContent, "Its type writes it while it is decoded.")
            }
            try LookedAt.$ids.withValue(LookedAt.ids.union([stored.id])) { _ = try decode(decodable, stored) }
            return nil
        } catch {
            let error = MoltError.wrapping(error, as: .unreadableContent)
            return UnreadableRecord(
                id: stored.id,
                version: stored.version,
                isOutdated: isOutdated(stored.version),
                size: stored.data.count,
                error: error
            )
        }
    }
}
