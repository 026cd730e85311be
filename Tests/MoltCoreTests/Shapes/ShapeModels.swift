import Foundation
import MoltCore

/// The versions of the models that the tests compare; versions of one type share a name in the store.
enum Before {
    struct Person: Codable, RecordType {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var age = 41
        var nickname: String?
    }

    struct Address: Codable {
        var street = "Main Street"
        var zip = 1
    }

    struct Contact: Codable, RecordType {
        static var recordTypeName: String { "Contact" }
        var home = Address()
        var others = [Address()]
    }

    enum Color: String, Codable, CaseIterable, RecordType {
        static var recordTypeName: String { "Color" }
        case red, green, blue
    }

    enum Figure: Codable, RecordType {
        static var recordTypeName: String { "Figure" }
        case circle(radius: Double)
        case square(side: Double)
        case nothing
    }
}

enum After {
    struct PersonWithMail: Codable, RecordType {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var age = 41
        var nickname: String?
        var mail = ""
    }

    struct PersonWithoutAge: Codable, RecordType {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var nickname: String?
    }

    struct PersonInAnotherOrder: Codable, RecordType {
        static var recordTypeName: String { "Person" }
        var nickname: String?
        var age = 41
        var name = "John"
    }

    struct PersonWithOptionalAge: Codable, RecordType {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var age: Int? = 41
        var nickname: String?
    }

    struct PersonWithNickname: Codable, RecordType {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var age = 41
        var nickname = ""
    }

    struct PersonWithAgeAsText: Codable, RecordType {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var age = "41"
        var nickname: String?
    }

    struct Place: Codable {
        var street = "Main Street"
        var zip = 1
    }

    struct Location: Codable {
        var latitude = 1.0
    }

    struct ContactWithPlace: Codable, RecordType {
        static var recordTypeName: String { "Contact" }
        var home = Place()
        var others = [Place()]
    }

    struct ContactWithLocation: Codable, RecordType {
        static var recordTypeName: String { "Contact" }
        var home = Location()
        var others = [Before.Address()]
    }

    struct ContactWithLocations: Codable, RecordType {
        static var recordTypeName: String { "Contact" }
        var home = Before.Address()
        var others = [Location()]
    }

    enum ColorWithoutBlue: String, Codable, CaseIterable, RecordType {
        static var recordTypeName: String { "Color" }
        case red, green
    }
}
