import Foundation
import Molt

struct Person: Codable, Equatable, Sendable {
    var firstName: String
    var lastName: String

    static let john = Person(firstName: "John", lastName: "Appleseed")
    static let jane = Person(firstName: "Jane", lastName: "Roe")
}

/// A type with the same structure and another name.
struct Alien: Codable, Equatable, Sendable {
    var firstName: String
    var lastName: String
}

/// A type with another structure.
struct City: Codable, Equatable, Sendable {
    var zipCode: Int
}

/// A class, whose instances could be changed after they were read.
final class Account: Codable, @unchecked Sendable {
    // Unchecked: used by its test's one thread.
    var name: String

    init(name: String) {
        self.name = name
    }
}

/// A type that must not be kept in memory because it is not `Sendable`.
final class Plain: Codable {
    var name: String

    init(name: String) {
        self.name = name
    }
}

struct Named: Codable, RecordType {
    static var recordTypeName: String { "stable-name" }

    var number = 1
}

enum TestFailure: Error {
    case expected
}
