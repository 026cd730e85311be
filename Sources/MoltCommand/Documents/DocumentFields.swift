import Foundation
import Molt

/// Where the lines of a stream of documents have the key, the type, the version and the content.
enum DocumentFields: Sendable {
    /// Each line is a document itself.
    case wholeLine(WholeLine)
    /// Each line is an object with a document in it.
    case envelope(Envelope)

    struct WholeLine: Sendable {
        let typeName: String
        /// nil for documents without a key in them.
        let key: PropertyPath?
        let version: Version

        enum Version {
            /// The documents have no version in them.
            case given(Int)
            case member(VersionMember)
        }
    }

    struct Envelope: Sendable {
        let key, type, content, expiration: PropertyPath
        let version: VersionMember
        /// Whether the line of a dropped document stays, with a mark.
        let marksDropped: Bool

        static let extractedFrom = PropertyPath("extractedFrom")
        static let dropped = PropertyPath("dropped")
    }

    struct VersionMember {
        let path: PropertyPath
        /// The version of documents that do not say theirs; nil if they must.
        let defaultVersion: Int?
    }

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
        .flag(
            "--mark-dropped",
            "keep the line of a dropped document, and add \"dropped\": true; such lines stay as they are"
        ),
    ]

    /// - Throws: ``UsageError`` for options that exclude each other.
    init(_ call: Command.Call) throws {
        self = try call.has("--type") ? .wholeLine(WholeLine(call)) : .envelope(Envelope(call))
    }

    /// Throws if two fields are one member, or one is inside another, which would be replaced with it.
    fileprivate static func checkApart(_ paths: [PropertyPath]) throws {
        for (number, path) in paths.enumerated() {
            guard let other = paths[..<number].first(where: { $0.starts(with: path) || path.starts(with: $0) })
            else { continue }
            throw UsageError("the fields \"\(other)\" and \"\(path)\" overlap; each needs a member of its own")
        }
    }
}

extension DocumentFields.WholeLine {
    fileprivate init(_ call: Command.Call) throws {
        typeName = call.value("--type") ?? ""
        if typeName.isEmpty { throw UsageError("--type is empty") }
        key = try call.path("--key-field")
        let defaultVersion = try call.count("--from")
        let others = ["--type-field", "--content-field", "--expiration-field", "--mark-dropped"]
        if let option = others.first(where: call.has) {
            throw UsageError("with --type, each line is the document itself, so \(option) has no meaning")
        }
        if let path = try call.path("--version-field") {
            version = .member(DocumentFields.VersionMember(path: path, defaultVersion: defaultVersion))
            try DocumentFields.checkApart([key, path].compactMap(\.self))
        } else if let defaultVersion {
            version = .given(defaultVersion)
        } else {
            throw UsageError("--type needs --from, --version-field, or both")
        }
    }
}

extension DocumentFields.Envelope {
    fileprivate init(_ call: Command.Call) throws {
        key = try call.path("--key-field") ?? "key"
        type = try call.path("--type-field") ?? "type"
        content = try call.path("--content-field") ?? "content"
        expiration = try call.path("--expiration-field") ?? "expiration"
        let path = try call.path("--version-field") ?? "version"
        version = DocumentFields.VersionMember(path: path, defaultVersion: try call.count("--from"))
        marksDropped = call.has("--mark-dropped")
        try DocumentFields.checkApart([key, path, type, content, expiration, Self.extractedFrom, Self.dropped])
    }
}

extension Command.Call {
    fileprivate func path(_ option: String) throws -> PropertyPath? {
        guard let names = value(option) else { return nil }
        let parts = names.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !parts.contains("") else { throw UsageError("\(option) needs names, not \"\(names)\"") }
        return PropertyPath(parts)
    }
}
