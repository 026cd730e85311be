/// The records of a store without records.
final class NoRecords: RecordTransaction {
    private let storeName: String

    init(storeName: String) {
        self.storeName = storeName
    }

    private var refusal: MoltError {
        MoltError(
            .unsupported,
            "A record cannot be put into \(storeName), which holds no records. Run migrations that import records on a "
                + "cache."
        )
    }

    func typeNames() throws -> [String] { [] }
    func count(ofType type: String?) throws -> Int { 0 }
    func hasRecords(before version: Int) throws -> Bool { false }
    func lastRecordID() throws -> Int64 { 0 }
    func read(into batch: RecordBatch, types: [String], after: Int64, through: Int64) throws { batch.removeAll() }
    func checkRead(_ count: Int, ofTypes types: [String]) throws {}
    func record(id: Int64) throws -> Record? { nil }
    func record(forKey key: String) throws -> Record? { nil }

    func write(_ contents: RecordContents) throws { throw refusal }
    func write(expiration: Double?, id: Int64) throws { throw refusal }
    func insert(_ record: borrowing Record, id: Int64, version: Int) throws { throw refusal }
    func delete(id: Int64) throws {}
    func deleteExpired(now: Double) throws -> Int { 0 }
    func renameType(_ name: String, to newName: String) throws {}
    func deleteType(_ name: String) throws -> Int { 0 }

    func deferChange(_ change: DeferredChange) throws { throw refusal }
    func applyDeferredChanges(stage: Int) throws {}
    func keepOriginal(id: Int64) throws {}
    func keepOriginals(ofType type: String) throws {}
    func original(id: Int64) throws -> Record? { nil }
    func forgetOriginals() throws {}

    func makeReader(ofTypes types: [String], through: Int64) throws -> (any RecordReader)? { nil }
    func endReading() {}
}
