// What the examples of README.md and the documentation take for granted; see .ci/examples.
import Foundation
import Molt

struct Person: Codable {
    var firstName, lastName: String
}

let url = URL(filePath: "contacts.molt")
let migrations: MigrationRegistry = []
