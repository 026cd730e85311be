internal import Foundation
internal import MoltCore

/// The changes of a batch, encoded and ready to be written, in the order in which they are made.
///
/// All is encoded before the first is written, so that no code of the app runs while the file is locked. The keys and the
/// contents lie one behind the other in a few large chunks: a million values that were a million objects would take twice
/// the memory, and the time to make them.
struct EncodedBatch: Sendable {
    /// What the contents of many changes have in common.
    struct Form: Sendable {
        /// The type name that they are written as.
        let typeName: String
        /// Whether they are raw data.
        let isData: Bool
        /// The shape of the first of the type, when it is to be compared: only that change has this form.
        let firstShape: FirstShape?

        /// Whether a content that is not the first of its type has the form.
        fileprivate func isForm(of content: EncodedContent) -> Bool {
            firstShape == nil && isData == content.isData && RecordObject.isSame(typeName, content.typeName)
        }
    }

    /// A change; its bytes lie behind those of the one before: the key, then the content.
    struct Row: Sendable {
        /// The place of its form; nil when the key is to be removed.
        let form: Int32?
        /// How many bytes the key has.
        let keyCount: Int
        /// How many bytes the content has.
        let contentCount: Int
        /// Seconds since 1970; NaN for never.
        let expiration: Double
    }

    /// Changes, and their bytes.
    struct Chunk: Sendable {
        /// The changes in their order.
        fileprivate(set) var rows: [Row] = []
        /// The keys and contents, without a gap.
        fileprivate(set) var bytes: [UInt8] = []
    }

    /// How many bytes a chunk has, unless a single change has more.
    static let chunkSize = 1 << 20

    /// What the changes refer to.
    private(set) var forms: [Form] = []
    /// The changes in their order; no chunk is empty.
    private(set) var chunks: [Chunk] = []
    /// Whether nothing is removed.
    private(set) var isOnlySetting = true

    /// Whether there is no change.
    var isEmpty: Bool { chunks.isEmpty }

    /// Adds a value that is to be set.
    mutating func set(_ key: String, _ content: EncodedContent) {
        let form = form(of: content)
        add(key, content.data) { keyCount in
            Row(
                form: form,
                keyCount: keyCount,
                contentCount: content.data.count,
                expiration: content.expiration ?? .nan
            )
        }
    }

    /// Adds a key that is to be removed.
    mutating func remove(_ key: String) {
        isOnlySetting = false
        add(key, Data()) { Row(form: nil, keyCount: $0, contentCount: 0, expiration: .nan) }
    }

    private mutating func add(_ key: String, _ content: Data, _ row: (_ keyCount: Int) -> Row) {
        var key = key
        key.withUTF8 { key in content.withUnsafeBytes { add(key, $0, row(key.count)) } }
    }

    private mutating func add(_ key: UnsafeBufferPointer<UInt8>, _ content: UnsafeRawBufferPointer, _ row: Row) {
        let count = key.count + content.count
        if chunks.isEmpty {
            // A batch of a few values takes no more than they do.
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
    }

    /// The place of the form of a content; nearly all have that of one of the last few.
    private mutating func form(of content: EncodedContent) -> Int32 {
        if content.firstShape == nil {
            for place in forms.indices.suffix(8).reversed() where forms[place].isForm(of: content) {
                return Int32(place)
            }
        }
        forms.append(
            Form(typeName: content.typeName, isData: content.isData, firstShape: content.firstShape)
        )
        return Int32(forms.count - 1)
    }

    /// What those who follow are told of a batch that only sets.
    var changes: [CacheChange] {
        var changes: [CacheChange] = []
        changes.reserveCapacity(chunks.reduce(0) { $0 + $1.rows.count })
        for chunk in chunks {
            var start = 0
            for row in chunk.rows {
                let key = String(decoding: chunk.bytes[start..<start + row.keyCount], as: UTF8.self)
                start += row.keyCount + row.contentCount
                if let form = row.form {
                    changes.append(CacheChange(key: key, typeName: forms[Int(form)].typeName, kind: .set))
                }
            }
        }
        return changes
    }
}
