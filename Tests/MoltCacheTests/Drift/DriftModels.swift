import Foundation
import Molt

/// A model for tests, with the type name that the store knows it by.
protocol DriftModel: Codable, Sendable, RecordType {
    init()
}

enum Old {
    struct Person: DriftModel {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var age = 41
        var nickname: String?
        var home = Address()
        var friends = [Friend()]
    }
    struct Address: Codable, Sendable { var street = "a" }
    struct Friend: Codable, Sendable { var name = "a" }
}

enum New {
    struct Added: DriftModel {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var age = 41
        var nickname: String?
        var home = Old.Address()
        var friends = [Old.Friend()]
        var mail = ""
    }
    struct Removed: DriftModel {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var nickname: String?
        var home = Old.Address()
        var friends = [Old.Friend()]
    }
    struct Reordered: DriftModel {
        static var recordTypeName: String { "Person" }
        var friends = [Old.Friend()]
        var home = Old.Address()
        var nickname: String?
        var age = 41
        var name = "John"
    }
    struct MadeOptional: DriftModel {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var age: Int? = 41
        var nickname: String?
        var home = Old.Address()
        var friends = [Old.Friend()]
    }
    struct MadeRequired: DriftModel {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var age = 41
        var nickname = ""
        var home = Old.Address()
        var friends = [Old.Friend()]
    }
    struct Location: Codable, Sendable { var latitude = 1.0 }
    struct OtherTarget: DriftModel {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var age = 41
        var nickname: String?
        var home = Location()
        var friends = [Old.Friend()]
    }
    struct OtherElements: DriftModel {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var age = 41
        var nickname: String?
        var home = Old.Address()
        var friends = [Location()]
    }
    struct OtherType: DriftModel {
        static var recordTypeName: String { "Person" }
        var name = "John"
        var age = "41"
        var nickname: String?
        var home = Old.Address()
        var friends = [Old.Friend()]
    }
}
