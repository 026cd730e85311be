internal import Foundation
internal import Molt

package struct Person: Codable, Equatable, Sendable {
    package var firstName: String
    package var lastName: String

    package init(firstName: String, lastName: String) {
        self.firstName = firstName
        self.lastName = lastName
    }

    package static let john = Person(firstName: "John", lastName: "Appleseed")
    package static let jane = Person(firstName: "Jane", lastName: "Roe")
}

/// A type with the same structure and another name.
package struct Alien: Codable, Equatable, Sendable {
    package var firstName: String
    package var lastName: String

    package init(firstName: String, lastName: String) {
        self.firstName = firstName
        self.lastName = lastName
    }
}

/// A type with another structure.
package struct City: Codable, Equatable, Sendable {
    package var zipCode: Int

    package init(zipCode: Int) {
        self.zipCode = zipCode
    }
}

/// A class, whose instances could be changed after they were read.
package final class Account: Codable, @unchecked Sendable {
    // Unchecked: used by its test's one thread.
    package var name: String

    package init(name: String) {
        self.name = name
    }
}

/// A type that must not be kept in memory because it is not `Sendable`.
package final class Plain: Codable {
    package var name: String

    package init(name: String) {
        self.name = name
    }
}

package struct Named: Codable, RecordType {
    package static var recordTypeName: String { "stable-name" }

    package var number: Int

    package init(number: Int = 1) {
        self.number = number
    }
}

package enum TestFailure: Error {
    case expected
}
