/// An element of the coding path of an error.
enum CodingStep: Equatable {
    /// An element of an array, from 0.
    case index(Int)
    /// A property from a type's `CodingKeys`.
    case property(String)
    /// Any other string, such as the key of a dictionary: part of the value, which no message may show.
    case key(String)

    /// Classifies a coding key.
    ///
    /// Foundation's coders name an array element "Index 0"; a dictionary key that is a number also has an `intValue`.
    /// Compiler-generated `CodingKeys` are enums without associated values; keys made from strings at run time are not,
    /// unless they are Molt's own names.
    init(_ key: any CodingKey) {
        let mirror = Mirror(reflecting: key)
        if let index = key.intValue, key.stringValue == "Index \(index)" {
            self = .index(index)
        } else if mirror.displayStyle == .enum && mirror.children.isEmpty || key is MemberName {
            self = .property(key.stringValue)
        } else {
            self = .key(key.stringValue)
        }
    }
}
