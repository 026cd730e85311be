internal import Synchronization

/// The first error of reading a record where nothing can be thrown; all copies of the record share it.
final class UnreadableText: Sendable {
    private let error = Mutex<MigrationError?>(nil)

    var failure: MigrationError? { error.withLock { $0 } }

    func note(_ error: MigrationError?) {
        self.error.withLock { $0 = $0 ?? error }
    }
}

/// Support for unpaired surrogates, which JSON allows as escapes; they are preserved unless they are read.
extension Record {
    /// Throws when a value contains an unpaired surrogate.
    func checkText(_ value: UnsafeBufferPointer<UInt8>, at path: PropertyPath) throws {
        if object.hasHalfPairs, SplicedObject.hasHalfPair(value), let error = halfPair(in: path) { throw error }
    }

    /// The error for a value, or the whole content, with an unpaired surrogate; nil when there is none.
    func halfPair(in path: PropertyPath?, underlying: (any Error)? = nil) -> MigrationError? {
        guard object.hasHalfPairs else { return nil }
        var part = object
        if let path {
            part = SplicedObject(bytes: withValue(at: path) { Array($0) } ?? [])
            // An unreadable value has no inner path.
            try? part.read()
        }
        guard part.hasHalfPairs else { return nil }
        let place = PropertyPath((path?.names ?? []) + part.halfPairPath)
        return error(
            .typeMismatch,
            "\(place.count > 0 ? "The property \"\(place)\"" : "The content") cannot be read: it has half of a surrogate pair, "
                + "an escape such as \\ud83d without its other half, which is no text. What is not read stays as it is. Set it "
                + "to another value, or to nil, without reading it.",
            property: place.count > 0 ? place : nil,
            underlying: underlying
        )
    }
}

extension SplicedObject {
    /// Whether a value that a scanner has accepted contains an unpaired surrogate.
    static func hasHalfPair(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        Record.check(value, depth: 0)?.reason == .loneSurrogate
    }

    /// Whether a name contains an unpaired surrogate.
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

    /// The path to the first value with an unpaired surrogate, as far as it leads through objects.
    fileprivate var halfPairPath: [String] {
        for name in names {
            guard let index = lastIndex(of: name), withValue(at: index, Self.hasHalfPair) else { continue }
            return [name] + (child(at: index)?.halfPairPath ?? [])
        }
        return []
    }
}
