// What the examples of README.md and the documentation take for granted; see .ci/examples.
import Foundation
import Molt

struct Unsuitable: Error, CustomStringConvertible {
    let description: String
}

struct Person: Codable {
    var firstName, lastName: String
}

enum Keychain {
    static func store(_ secret: Data, for name: String) throws {}
}

/// The part of RealmSwift's dynamic interface that an example uses.
final class Realm {
    struct Configuration {
        var fileURL: URL?
        var readOnly = false
    }

    init(configuration: Configuration) throws {}

    func dynamicObjects(_ className: String) -> Results<DynamicObject> { Results() }
}

struct Results<Element>: Sequence {
    let count = 0

    func makeIterator() -> IndexingIterator<[Element]> { [].makeIterator() }
}

final class DynamicObject {
    subscript(key: String) -> Any? { nil }
}

final class List<Element>: Sequence {
    func makeIterator() -> IndexingIterator<[Element]> { [].makeIterator() }
}

/// The part of GRDB's interface that an example uses.
final class Database {
    func execute(sql: String, arguments: StatementArguments) throws {}
}

struct Row {
    static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments) throws -> [Row] { [] }

    subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value { preconditionFailure() }
}

struct StatementArguments: ExpressibleByArrayLiteral {
    init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {}
}

protocol DatabaseValueConvertible {}
extension Int: DatabaseValueConvertible {}
extension Int64: DatabaseValueConvertible {}
extension String: DatabaseValueConvertible {}

let realmURL = URL(filePath: "default.realm")
let url = URL(filePath: "contacts.molt")
/// What another device has sent.
let received = Data()
let migrations: MigrationRegistry = []

#if STUBS
    import os

    // The package itself is compiled without the stubs.
    extension MigrationMonitor {
        convenience init(
            logger: Logger,
            signposter: OSSignposter? = nil,
            onEvent: (@Sendable (MigrationEvent) -> Void)? = nil
        ) { self.init(onEvent: onEvent) }
    }
#endif
