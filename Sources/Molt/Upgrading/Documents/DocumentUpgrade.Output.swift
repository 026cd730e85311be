public import Foundation

extension DocumentUpgrade {
    /// A document after its upgrade; see ``DocumentUpgrade``.
    public struct Output: Equatable, Sendable {
        /// The content: the bytes that were passed if no step changed them.
        public let content: Data
        /// The name of the type, which a step may have renamed.
        public let typeName: String
        /// The version that the document has now; store it with the content.
        public let version: Int
        /// The key, which a step may have changed.
        public let key: String
        /// When the document expires; nil for never.
        public let expiration: Date?
        /// Whether a step dropped the document or deleted its type, so that it is to be removed.
        public let isDropped: Bool
        /// Whether a step has replaced the JSON text with raw data, which cannot be upgraded again.
        public let isData: Bool

        /// - Parameter original: The bytes that were passed, if no step has changed them.
        init(_ document: DocumentSteps.Document, version: Int, original: Data? = nil) {
            content = original ?? Data(document.record.writtenContent)
            typeName = document.record.typeName
            self.version = version
            key = document.record.key
            expiration = document.record.expiration
            isDropped = document.isDropped
            isData = document.record.isData
        }
    }
}

extension DocumentUpgrade.Output: CustomStringConvertible, CustomReflectable {
    /// The type, the key, the version and the size; never the content.
    public var description: String {
        ErrorSummary.oneLine(
            "\(typeName) \"\(key)\" (version \(version), \(isDropped ? "dropped" : "\(content.count) B"))"
        )
    }

    /// The same as the description, so that a dump shows no content either.
    public var customMirror: Mirror {
        Mirror(self, children: ["typeName": typeName, "key": key, "version": version, "isDropped": isDropped])
    }
}
