import Foundation
import Molt

/// Where the lines of a stream of documents have the key, the type, the version and the content.
package struct DocumentFields: Sendable {
    /// The type of lines that are the documents themselves; nil for lines with a document in them.
    let lineType: String?
    /// nil for lines that have no key, which only documents themselves may lack.
    let key: PropertyPath?
    let version: PropertyPath?
    /// The version of documents that do not say theirs; nil if they must.
    let defaultVersion: Int?
    // Of lines with a document in them.
    let type: PropertyPath
    let content: PropertyPath
    let expiration: PropertyPath

    static let extractedFrom = PropertyPath("extractedFrom")
    static let dropped = PropertyPath("dropped")

    static let options: [Command.Option] = [
        .value("--key-field", "NAME", "the member with the key, \"key\" by default"),
        .value("--type-field", "NAME", "the member with the type's name, \"type\" by default"),
        .value("--version-field", "NAME", "the member with the version, \"version\" by default"),
        .value("--content-field", "NAME", "the member with the document, \"content\" by default"),
        .value(
            "--expiration-field",
            "NAME",
            "that with its seconds since 1970, \"expiration\" by default"
        ),
        .value("--type", "NAME", "each line is a document of this type itself"),
        .value("--from", "VERSION", "the version of documents that do not say theirs"),
    ]

    /// - Throws: ``UsageError`` for options that exclude each other.
    init(_ call: Command.Call) throws {
        func path(_ option: String, _ usual: String? = nil) throws -> PropertyPath? {
            guard let names = call.value(option) ?? usual else { return nil }
            let parts = names.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard !parts.contains("") else { throw UsageError("\(option) needs names, not \"\(names)\"") }
            return PropertyPath(parts)
        }
        lineType = call.value("--type")
        if lineType == "" { throw UsageError("--type is empty") }
        defaultVersion = try call.count("--from")
        type = try path("--type-field", "type") ?? "type"
        content = try path("--content-field", "content") ?? "content"
        expiration = try path("--expiration-field", "expiration") ?? "expiration"
        guard lineType != nil else {
            key = try path("--key-field", "key")
            version = try path("--version-field", "version")
            try checkFields()
            return
        }
        key = try path("--key-field")
        version = try path("--version-field")
        let others = ["--type-field", "--content-field", "--expiration-field", "--mark-dropped"]
        if let option = others.first(where: call.has) {
            throw UsageError("with --type, each line is the document itself, so \(option) has no meaning")
        }
        guard version != nil || defaultVersion != nil else {
            throw UsageError("--type needs --from, --version-field, or both")
        }
        try checkFields()
    }

    /// Throws if two fields are one member, or one is inside another, which would be replaced with it.
    private func checkFields() throws {
        let others = lineType == nil ? [type, content, expiration, Self.extractedFrom, Self.dropped] : []
        let all = [key, version].compactMap(\.self) + others
        for (number, path) in all.enumerated() {
            guard let other = all[..<number].first(where: { $0.starts(with: path) || path.starts(with: $0) })
            else { continue }
            throw UsageError("the fields \"\(other)\" and \"\(path)\" overlap; each needs a member of its own")
        }
    }
}
