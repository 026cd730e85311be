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
