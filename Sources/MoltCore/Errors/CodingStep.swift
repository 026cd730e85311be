/// What a coding key in the path of an error stands for.
package enum CodingStep: Equatable {
    /// An element of an array, from 0.
    case index(Int)
    /// A property that a type names in its `CodingKeys`.
    case property(String)
    /// Any other text, such as the key of a dictionary: a part of the value, which no message may show.
    case key(String)

    /// Tells what a coding key stands for.
    ///
    /// What Foundation's coders have for an element calls itself "Index 0"; a dictionary's key whose text is a number
    /// has an `intValue` too. What the compiler makes of `CodingKeys` is an enum without associated values; a key that
    /// is made of text while it runs is not.
    package init(_ key: any CodingKey) {
        let mirror = Mirror(reflecting: key)
        if let index = key.intValue, key.stringValue == "Index \(index)" {
            self = .index(index)
        } else if mirror.displayStyle == .enum, mirror.children.isEmpty {
            self = .property(key.stringValue)
        } else {
            self = .key(key.stringValue)
        }
    }
}
