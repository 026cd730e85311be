import Foundation
import Molt

struct Person: Codable, Equatable, Sendable {
    var firstName: String
    var lastName: String

    static let john = Person(firstName: "John", lastName: "Appleseed")
    static let jane = Person(firstName: "Jane", lastName: "Roe")
}

/// The same structure under another name.
struct Alien: Codable, Equatable, Sendable {
    var firstName: String
    var lastName: String
}

/// Another structure.
struct City: Codable, Equatable, Sendable {
    var zipCode: Int
}

/// A class: someone may change an instance.
final class Account: Codable, @unchecked Sendable {
    // Unchecked: used by the one thread of its test.
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
