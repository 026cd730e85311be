internal import Foundation

struct RecordComparison {
    private(set) var lines: [String] = []
    /// Whether the order of properties, and the version that a record was written at, make no difference.
    private let checksDataAlone: Bool

    /// - Parameter sameVersions: Ranges of versions that make no difference, as a record was written at.
    init(
        expected: StoreFixture,
        found: StoreFixture,
        checksOrder: Bool = false,
        checksDataAlone: Bool = false,
        sameVersions: [ClosedRange<Int>] = []
    ) {
        self.checksDataAlone = checksDataAlone
        let expectedRecords = expected.recordsByKey
        let foundRecords = found.recordsByKey
        for record in expected.records {
            guard let other = foundRecords[Array(record.key.utf8)] else {
                lines.append("\(Shown.key(record.key)): missing, expected a \(Self.summary(record))")
                continue
            }
            compare(record, other)
            let versions = (record.version ?? expected.version, other.version ?? found.version)
            let areSame = sameVersions.contains { $0.contains(versions.0) && $0.contains(versions.1) }
            if versions.0 != versions.1, !checksDataAlone, !areSame {
                lines.append(
                    "\(Shown.key(record.key)): last written at version: expected \(versions.0), found \(versions.1)"
                )
            }
        }
        for record in found.records where expectedRecords[Array(record.key.utf8)] == nil {
            lines.append("\(Shown.key(record.key)): unexpected, a \(Self.summary(record))")
        }
        if checksOrder { compareOrder(expected.records, found.records) }
    }

    private mutating func compareOrder(_ expected: [StoreFixture.Record], _ found: [StoreFixture.Record]) {
        let keys = (expected.map { Array($0.key.utf8) }, found.map { Array($0.key.utf8) })
        guard keys.0 != keys.1, Set(keys.0) == Set(keys.1) else { return }
        let first = zip(keys.0, keys.1).prefix { $0 == $1 }.count
        let names = [expected, found].map { records in
            Shown.text(records.dropFirst(first).map { Shown.key($0.key) }.joined(separator: ", "))
        }
        let location = first > 0 ? " from record \(first + 1) on" : ""
        lines.append("the records are in another order\(location): expected \(names[0]), found \(names[1])")
    }

    private static func summary(_ record: StoreFixture.Record) -> String {
        "\(record.typeName): \(record.content.summary)"
    }

    private mutating func compare(_ expected: StoreFixture.Record, _ found: StoreFixture.Record) {
        let location = Shown.key(found.key)
        if expected.typeName != found.typeName {
            lines.append("\(location): type name: expected \(expected.typeName), found \(found.typeName)")
        }
        if expected.expiration != found.expiration {
            let shown = Shown.dates(expected.expiration, found.expiration)
            lines.append("\(location): expires: expected \(shown.0), found \(shown.1)")
        }
        guard expected.content != found.content else { return }
        if !expected.content.isData, !found.content.isData {
            lines += ContentComparison(expected.content.bytes, found.content.bytes, at: location).differences
                .filter { !checksDataAlone || $0.remark != .otherOrder }.map(\.line)
        } else if expected.content.isData, found.content.isData {
            lines.append("\(location): \(Shown.dataDifference(expected.content.bytes, found.content.bytes))")
        } else {
            lines.append("\(location): expected \(expected.content.summary), found \(found.content.summary)")
        }
    }
}

extension StoreFixture {
    /// The records by the bytes of their keys, because canonically equivalent strings are different keys.
    var recordsByKey: [[UInt8]: Record] { Dictionary(records.map { (Array($0.key.utf8), $0) }) { $1 } }
}

extension StoreFixture.Content {
    /// The size of raw data, or a part of the JSON text.
    fileprivate var summary: String {
        isData ? "raw data of \(Shown.size(bytes.count))" : Shown.json(bytes)
    }
}
