internal import Synchronization

/// Keeps the first error of reading a record, where nothing can be thrown; shared by all copies of the record.
final class UnreadableText: Sendable {
    private let error = Mutex<MigrationError?>(nil)

    var failure: MigrationError? { error.withLock { $0 } }

    func note(_ error: MigrationError?) {
        self.error.withLock { $0 = $0 ?? error }
    }
}

/// Half of a surrogate pair: JSON text may have it as an escape, and no string can hold it.
///
/// It stays as it is until somebody reads it.
extension Record {
    /// Throws when a value holds half of a surrogate pair.
    func checkText(_ value: UnsafeBufferPointer<UInt8>, at path: PropertyPath) throws {
        if object.hasHalfPairs, SplicedObject.hasHalfPair(value), let error = halfPair(in: path) { throw error }
    }

    /// The error for a value, or the whole content, that holds half of a surrogate pair; nil when it does not.
    func halfPair(in path: PropertyPath?, underlying: (any Error)? = nil) -> MigrationError? {
        guard object.hasHalfPairs else { return nil }
        var part = object
        if let path {
            part = SplicedObject(bytes: withValue(at: path) { Array($0) } ?? [])
            // What cannot be read is no object, and has no place inside it.
            try? part.read()
        }
        guard part.hasHalfPairs else { return nil }
        let place = PropertyPath((path?.names ?? []) + part.halfPairPath)
        return error(
            .typeMismatch,
            "\(place.count > 0 ? "The property \"\(place)\"" : "The content") cannot be read: it holds half of a surrogate pair, "
                + "an escape such as \\ud83d without its other half, which is no text. What is not read stays as it is. Set it "
                + "to another value, or to nil, without reading it.",
            property: place.count > 0 ? place : nil,
            underlying: underlying
        )
    }
}

extension SplicedObject {
    /// Whether a value that a scanner has accepted holds half of a surrogate pair.
    static func hasHalfPair(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        Record.check(value, depth: 0)?.reason == .loneSurrogate
    }

    /// Whether a name holds half of a surrogate pair.
    var namesHaveHalfPairs: Bool {
        hasHalfPairs
            && bytes.withUnsafeBufferPointer { source in
                entries.withEntries { entries in
                    entries.contains { entry in
                        entry.nameHasEscapes && entry.changes.isDisjoint(with: [.named, .removed])
                            && Self.hasHalfPair(UnsafeBufferPointer(rebasing: source[entry.name.range]))
                    }
                }
            }
    }

    /// The path to the first value that holds half of a surrogate pair, as far as it leads through objects.
    fileprivate var halfPairPath: [String] {
        for name in names {
            guard let index = lastIndex(of: name), withValue(at: index, Self.hasHalfPair) else { continue }
            return [name] + (child(at: index)?.halfPairPath ?? [])
        }
        return []
    }
}
