/// The name of a member of a JSON object that Molt reads and writes, as it stands in Molt's code.
///
/// The types whose coding is written by hand share it, since an enumeration of names costs more code than the coding
/// itself. Types that an app can keep in a store have `CodingKeys`, from which ``CodeNames`` tells what they read.
struct MemberName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral name: String) { stringValue = name }
    init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<MemberName> {
    func value<Value: Decodable>(_ name: MemberName) throws -> Value {
        try decode(Value.self, forKey: name)
    }

    /// The value of a member that may be missing or null.
    func valueIfPresent<Value: Decodable>(_ name: MemberName) throws -> Value? {
        try decodeIfPresent(Value.self, forKey: name)
    }
}
