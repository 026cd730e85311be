/// The name of the only member of an object that stands for a value of a property list that JSON does not have.
enum PropertyListTag: String {
    /// A date, in seconds since 1 January 2001.
    case date = "molt:date"
    /// Data, as Base64.
    case data = "molt:data"
    /// An infinity or NaN, as text.
    case real = "molt:real"

    func json(_ value: RecordValue) -> RecordValue {
        .object([rawValue: value])
    }

    /// The member's value in an object that has only this member; nil for any other value.
    func value(in json: RecordValue) -> RecordValue? {
        guard let object = json.object, object.properties.count == 1 else { return nil }
        return object[rawValue]
    }

    /// The beginning of all names, in JSON.
    static let opening = Array("\"molt:".utf8)
}
