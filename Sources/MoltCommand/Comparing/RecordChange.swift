import Foundation
import Molt
import MoltTesting

/// A record that differs between two stores.
package struct RecordChange: Hashable, Sendable, Encodable {
    package enum Change: String, Hashable, Sendable, Encodable {
        case added
        case removed
        case changed
    }

    package let change: Change
    package let key: String
    /// The type name, the later one if it changed.
    package let type: String
    /// The differences; for an added or removed record the whole content.
    package let differences: [ValueChange]
}

/// A part of a record that differs between two stores.
package struct ValueChange: Hashable, Sendable, Encodable {
    /// The parts of a record.
    package enum Aspect: String, Hashable, Sendable, Encodable {
        /// JSON content: a property, or the whole content with an empty path.
        case content
        /// Raw data, which is given by its size.
        case data
        case type
        case version
        case expiry
    }

    package let aspect: Aspect
    /// The path of a property, such as `address.lines[1]`; empty for the whole content and for the other aspects.
    package let path: String
    /// The earlier value: the JSON text of content, and plain text for the other aspects; nil if it is missing.
    package let before: String?
    /// The later value; nil if it is missing.
    package let after: String?
    /// How two values differ that look the same; nil if there is nothing to say.
    package let remark: String?

    /// The path, or the aspect if there is none.
    package var label: String { path.isEmpty ? aspect.rawValue : path }

    init(_ aspect: Aspect, path: String = "", _ before: String?, _ after: String?, remark: String? = nil) {
        self.aspect = aspect
        self.path = path
        self.before = before
        self.after = after
        self.remark = remark
    }
}

extension RecordChange {
    init(added record: StoreContents.StoredRecord) {
        let content = ValueChange(record.isData ? .data : .content, nil, record.contentSummary)
        self.init(change: .added, key: record.key, type: record.typeName, differences: [content])
    }

    init(removed record: StoreContents.StoredRecord) {
        let content = ValueChange(record.isData ? .data : .content, record.contentSummary, nil)
        self.init(change: .removed, key: record.key, type: record.typeName, differences: [content])
    }

    init(from before: StoreContents.StoredRecord, to after: StoreContents.StoredRecord) {
        var differences: [ValueChange] = []
        if before.typeName != after.typeName {
            differences.append(ValueChange(.type, before.typeName, after.typeName))
        }
        if before.version != after.version {
            differences.append(ValueChange(.version, "\(before.version)", "\(after.version)"))
        }
        if before.expiration != after.expiration {
            let dates = (before.expires, after.expires)
            let shown = Shown.dates(dates.0, dates.1)
            differences.append(ValueChange(.expiry, dates.0.map { _ in shown.0 }, dates.1.map { _ in shown.1 }))
        }
        differences += Self.contentDifferences(before, after)
        self.init(change: .changed, key: after.key, type: after.typeName, differences: differences)
    }

    private static func contentDifferences(
        _ before: StoreContents.StoredRecord,
        _ after: StoreContents.StoredRecord
    ) -> [ValueChange] {
        guard before.isData || after.isData else {
            return ContentComparison(before.content, after.content).differences.map { difference in
                ValueChange(
                    .content,
                    path: String(difference.path.drop { $0 == "." }),
                    difference.expected,
                    difference.found,
                    remark: difference.remark?.description
                )
            }
        }
        guard before.content != after.content || before.isData != after.isData else { return [] }
        let first = zip(before.content, after.content).prefix { $0 == $1 }.count
        let remark = before.isData && after.isData ? "they differ from byte \(first)" : nil
        return [ValueChange(.data, before.dataSummary, after.dataSummary, remark: remark)]
    }
}

extension StoreContents.StoredRecord {
    fileprivate var expires: Date? { expiration.map { Date(timeIntervalSince1970: $0) } }

    fileprivate var contentSummary: String {
        isData ? dataSummary : String(decoding: content, as: UTF8.self)
    }

    fileprivate var dataSummary: String {
        isData ? Shown.size(content.count) : "JSON of \(Shown.size(content.count))"
    }
}
