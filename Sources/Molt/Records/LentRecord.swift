package import Foundation

/// A record in its stored form, whose owner lends its bytes until it is read or written.
package struct LentRecord {
    /// UTF-8.
    let key: UnsafeRawBufferPointer
    /// JSON as UTF-8, or raw data.
    let content: UnsafeRawBufferPointer
    let isData: Bool
    /// Seconds since 1970; nil for never.
    let expiration: Double?

    /// Lends a key and a content while a closure runs.
    package static func with<Value>(
        _ key: String,
        _ content: some ContiguousBytes,
        isData: Bool,
        expiration: Double?,
        _ body: (LentRecord) throws -> Value
    ) rethrows -> Value {
        var key = key
        return try key.withUTF8 { key in
            try content.withUnsafeBytes { content in
                let key = UnsafeRawBufferPointer(key)
                return try body(LentRecord(key: key, content: content, isData: isData, expiration: expiration))
            }
        }
    }
}
