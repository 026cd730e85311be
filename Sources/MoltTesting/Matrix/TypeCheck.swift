internal import Foundation
internal import MoltCore

/// Reads every record of an upgraded store as the app's type of today.
struct TypeCheck {
    private(set) var failures = FailureList()

    /// - Parameter name: The fixture's file, or its name.
    init(_ store: StoreFixture, _ types: [FixtureType], _ coding: RecordCoding, name: String) {
        let known = Dictionary(types.map { ($0.name, $0) }) { $1 }
        var unknown: [String: [String]] = [:]
        for record in store.records {
            guard let type = known[record.typeName] else {
                let isRawData = record.content.isData && record.typeName == RecordTypeName.of(Data.self)
                if !isRawData { unknown[record.typeName, default: []].append(Shown.key(record.key)) }
                continue
            }
            do {
                try type.check(record.content, coding)
            } catch {
                failures.add(
                    .decoding,
                    name,
                    "\(Shown.key(record.key)) cannot be read as \(record.typeName): \(FixtureType.words(of: error))"
                )
            }
        }
        for (type, keys) in unknown.sorted(by: { $0.key < $1.key }) {
            let some = keys.prefix(3).joined(separator: ", ") + (keys.count > 3 ? ", …" : "")
            failures.add(
                .unknownType,
                name,
                "after the upgrade there are records of type \(type) (\(some)), which is not among the types that were "
                    + "given. Add `.type(\(type).self)`, or a migration that renames or deletes the type."
            )
        }
    }
}
