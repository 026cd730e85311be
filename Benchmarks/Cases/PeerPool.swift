import Dispatch
import Foundation
import Molt

/// Connections to a cache file as GRDB's `DatabasePool` has them: one writer on a serial queue, and up to five readers.
///
/// Each read is a transaction on a queue of its connection, and each write a transaction on the writer's.
///
/// Sendable because each connection is used on its own queue only.
final class PeerPool: @unchecked Sendable {
    private final class Member: @unchecked Sendable {
        private let store: PeerStore
        private let queue = DispatchQueue(label: "peer.pool")

        init(at file: URL) throws {
            store = try PeerStore(at: file)
        }

        func run<Value>(_ kind: String, _ body: (PeerStore) throws -> Value) throws -> Value {
            try queue.sync {
                try store.transaction(kind) { try body(store) }
            }
        }
    }

    private static let readerLimit = 5

    private let writer: Member
    private let readers: Locked<[Member]>
    private let free = DispatchSemaphore(value: readerLimit)

    init(at file: URL) throws {
        writer = try Member(at: file)
        readers = Locked(try (0..<Self.readerLimit).map { _ in try Member(at: file) })
    }

    func set(_ person: PersonV1, forKey key: String) throws {
        try writer.run("IMMEDIATE") { try $0.set(person, forKey: key) }
    }

    func value(forKey key: String) throws -> PersonV1? {
        free.wait()
        defer { free.signal() }
        guard let reader = readers.withLock({ $0.popLast() }) else { throw BenchmarkError("No reader is free.") }
        defer { readers.withLock { $0.append(reader) } }
        return try reader.run("DEFERRED") { try $0.value(forKey: key) }
    }
}
