public import Foundation

extension MigrationError: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line: the code, the message, the location, and the underlying error without its values.
    public var description: String {
        errorText.line
    }

    /// A tree: the code, then one line for each known fact, and the underlying error below.
    public var debugDescription: String {
        errorText.tree
    }

    private var details: [(label: String, text: String)] {
        var details: [(label: String, text: String)] = []
        if let store { details.append(("store", store)) }
        if let migration { details.append(("migration", migration.description)) }
        if let step { details.append(("step", "\(step.number), \(step.summary)")) }
        if let attachedStore { details.append(("attached", attachedStore)) }
        if let record { details.append((attachedStore == nil ? "record" : "key", record)) }
        if let property { details.append(("property", "\"\(property)\"")) }
        if let storeVersion { details.append(("store version", String(storeVersion))) }
        if let registryVersion {
            let label = code == .tooOld ? "oldest supported version" : "registry version"
            details.append((label, String(registryVersion)))
        }
        return details
    }

    private var record: String? {
        switch (recordKey, recordType) {
        case (let key?, let type?): "\"\(key)\" of type \(type)"
        case (let key?, nil): "\"\(key)\""
        case (nil, let type?): "of type \(type)"
        case (nil, nil): nil
        }
    }
}

extension MigrationError: DescribedError {
    package var errorText: ErrorText {
        ErrorText(
            type: "MigrationError",
            code: code.rawValue,
            message: message,
            details: details,
            underlying: underlying
        )
    }
}

extension MigrationError: CustomReflectable {
    /// The same as the description, so that a dump shows no values either.
    public var customMirror: Mirror { errorText.mirror(of: self) }
}

extension MigrationError: LocalizedError {
    /// The message, and that of an underlying error of Molt.
    public var errorDescription: String? {
        ErrorSummary.oneLine(
            [message, (underlying as? any DescribedError)?.message].compactMap(\.self).joined(separator: " ")
        )
    }
}
