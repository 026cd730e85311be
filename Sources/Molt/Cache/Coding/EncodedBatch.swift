internal import Foundation

/// The encoded changes of a batch, in order.
///
/// Everything is encoded before the first write, so no code of the app runs while the file is locked. Keys and contents
/// are packed into a few large chunks: a million values as separate objects would take twice the memory, and more time.
struct EncodedBatch: Sendable {
    /// The properties that the contents of many changes share.
    struct Form: Sendable {
        let typeName: String
        let isData: Bool
        let type: CheckedType?
        /// The shape of the first value of a type, if it must be compared; only that change has this form.
        let firstShape: FirstShape?

        /// Whether content that is not the first of its type has this form.
        fileprivate func isForm(of content: EncodedContent) -> Bool {
            firstShape == nil && isData == content.isData && type?.id == content.type?.id
                && ExactName.isSame(typeName, content.typeName)
        }
    }

    /// A change; its key and content follow the bytes of the change before.
    struct Row: Sendable {
        /// The index of its form; nil for a removal.
        let form: Int32?
        let keyCount: Int
        let contentCount: Int
        /// Seconds since 1970; NaN for never.
        let expiration: Double
    }

    struct Chunk: Sendable {
        fileprivate(set) var rows: [Row] = []
        /// The keys and contents, without gaps.
        fileprivate(set) var bytes: [UInt8] = []
    }

    /// The size of a chunk in bytes, unless a single change is larger.
    static let chunkSize = 1 << 20

    private(set) var forms: [Form] = []
    /// The changes in order; no chunk is empty.
    private(set) var chunks: [Chunk] = []
    private(set) var isOnlySetting = true
    private var count = 0
    /// What adds unknown properties of the stored contents, by the numbers of the changes; empty if none are kept.
    private var unknown: [Int: UnknownProperties] = [:]

    var isEmpty: Bool { chunks.isEmpty }

    mutating func set(_ key: String, _ content: EncodedContent) {
        let form = form(of: content)
        if let added = content.unknown { unknown[count] = added }
        add(key, content.data) { keyCount in
            Row(
                form: form,
                keyCount: keyCount,
                contentCount: content.data.count,
                expiration: content.expiration ?? .nan
            )
        }
    }

    mutating func remove(_ key: String) {
        isOnlySetting = false
        add(key, Data()) { Row(form: nil, keyCount: $0, contentCount: 0, expiration: .nan) }
    }

    private mutating func add(_ key: String, _ content: Data, _ row: (_ keyCount: Int) -> Row) {
        var key = key
        key.withUTF8 { key in content.withUnsafeBytes { add(key, $0, row(key.count)) } }
    }

    @inline(never)
    private mutating func add(_ key: UnsafeBufferPointer<UInt8>, _ content: UnsafeRawBufferPointer, _ row: Row) {
        let count = key.count + content.count
        if chunks.isEmpty {
            // Without reserved capacity, a small batch takes only the memory it needs.
            chunks.append(Chunk())
        } else if chunks[chunks.count - 1].bytes.count + count > Self.chunkSize {
            var chunk = Chunk()
            chunk.bytes.reserveCapacity(max(count, Self.chunkSize))
            chunks.append(chunk)
        }
        let last = chunks.count - 1
        chunks[last].bytes.append(contentsOf: key)
        chunks[last].bytes.append(contentsOf: content)
        chunks[last].rows.append(row)
        self.count += 1
    }

    /// The index of a content's form; nearly always one of the last few.
    private mutating func form(of content: EncodedContent) -> Int32 {
        if content.firstShape == nil {
            for index in forms.indices.suffix(8).reversed() where forms[index].isForm(of: content) {
                return Int32(index)
            }
        }
        forms.append(
            Form(
                typeName: content.typeName,
                isData: content.isData,
                type: content.type,
                firstShape: content.firstShape
            )
        )
        return Int32(forms.count - 1)
    }

    /// Whether unknown properties of stored contents may have to be added.
    var keepsUnknown: Bool { !unknown.isEmpty }

    /// A change that is read back.
    struct ReadChange {
        let key: String
        /// Nil for a removal.
        let form: Form?
        let content: Data
        /// What adds unknown properties of the stored content; nil if they are not kept.
        let unknown: UnknownProperties?
        fileprivate let row: Row
    }

    /// The changes of each chunk, in order.
    func readChunks() -> some Sequence<[ReadChange]> {
        var number = 0
        return chunks.lazy.map { chunk in
            var start = 0
            return chunk.rows.map { row in
                let end = start + row.keyCount
                defer {
                    start = end + row.contentCount
                    number += 1
                }
                return ReadChange(
                    key: String(decoding: chunk.bytes[start..<end], as: UTF8.self),
                    form: row.form.map { forms[Int($0)] },
                    content: Data(chunk.bytes[end..<end + row.contentCount]),
                    unknown: unknown[number],
                    row: row
                )
            }
        }
    }

    /// An empty batch whose changes have the same forms.
    func emptied() -> EncodedBatch {
        var batch = EncodedBatch()
        batch.forms = forms
        batch.isOnlySetting = isOnlySetting
        return batch
    }

    /// Adds a change of the batch that this one was emptied from, with another content.
    mutating func add(_ change: ReadChange, _ content: Data) {
        let (form, expiration) = (change.row.form, change.row.expiration)
        add(change.key, content) {
            Row(form: form, keyCount: $0, contentCount: content.count, expiration: expiration)
        }
    }

    /// The changes for listeners, of a batch without removals.
    var changes: [CodableCache.Change] {
        var changes: [CodableCache.Change] = []
        changes.reserveCapacity(chunks.reduce(0) { $0 + $1.rows.count })
        for chunk in chunks {
            var start = 0
            for row in chunk.rows {
                let key = String(decoding: chunk.bytes[start..<start + row.keyCount], as: UTF8.self)
                start += row.keyCount + row.contentCount
                if let form = row.form {
                    changes.append(CodableCache.Change(key: key, typeName: forms[Int(form)].typeName, kind: .set))
                }
            }
        }
        return changes
    }
}
