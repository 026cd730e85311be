internal import Foundation
internal import Molt

/// A value in a fixture's JSON text, with its place for errors.
struct FixtureNode: Sendable {
    let text: FixtureText
    let part: JSONPart
    /// The path of the value, such as `records[3].expires`; empty for the root.
    let path: String

    func failure(_ message: String) -> TestingError {
        text.failure(at: part.offset, path: path, message)
    }

    private func wrongKind(_ expected: String) -> TestingError {
        failure("It is \(part.kind.rawValue). Write \(expected).")
    }

    // MARK: Containers

    func elements(_ expected: String) throws -> [FixtureNode] {
        guard let elements = part.elements else { throw wrongKind(expected) }
        return elements.enumerated().map { FixtureNode(text: text, part: $1, path: "\(path)[\($0)]") }
    }

    /// The members of an object in order; throws for duplicate names.
    func members(_ expected: String) throws -> [(name: String, value: FixtureNode)] {
        guard let members = part.members else { throw wrongKind(expected) }
        var found: [(name: String, value: FixtureNode)] = []
        var names: Set<String> = []
        for (namePart, value) in members {
            let name = namePart.string ?? ""
            let path = Self.path(path, name)
            guard names.insert(name).inserted else {
                let message = "The name is in the object twice. Remove one of the two."
                throw text.failure(at: namePart.offset, path: path, message)
            }
            found.append((name, FixtureNode(text: text, part: value, path: path)))
        }
        return found
    }

    private static func path(_ path: String, _ name: String) -> String {
        let isPlain = !name.isEmpty && name.utf8.allSatisfy { isWordByte($0) }
        guard isPlain else { return "\(path)[\"\(name)\"]" }
        return path.isEmpty ? name : "\(path).\(name)"
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
        default: false
        }
    }

    /// The members of an object; throws for unknown names.
    func object(_ expected: String, known: [String]) throws -> FixtureObject {
        let members = try members(expected)
        for (name, value) in members where !known.contains(name) {
            throw value.failure("There is no such member here. The known members are \(known.joined(separator: ", ")).")
        }
        return FixtureObject(node: self, members: Dictionary(members) { first, _ in first })
    }

    // MARK: Scalars

    func string(_ expected: String) throws -> String {
        guard let string = part.string else { throw wrongKind(expected) }
        return string
    }

    func filledString(_ expected: String) throws -> String {
        let string = try string(expected)
        guard !string.isEmpty else { throw failure("It is empty. Write \(expected).") }
        return string
    }

    func bool(_ expected: String) throws -> Bool {
        guard let bool = part.bool else { throw wrongKind(expected) }
        return bool
    }

    func integer<Number: FixedWidthInteger>(_ expected: String, as: Number.Type = Number.self) throws -> Number {
        guard part.kind == .number else { throw wrongKind(expected) }
        let digits = part.text
        guard let number = Number(digits) else {
            throw failure("\(digits) is not an integer that fits \(Number.self). Write \(expected).")
        }
        return number
    }

    func count(_ expected: String) throws -> Int {
        let count = try integer(expected, as: Int.self)
        guard count >= 0 else { throw failure("\(count) is below 0. Write \(expected).") }
        return count
    }

    /// A number, or one of the strings `inf`, `-inf` and `nan`, which JSON cannot represent as numbers.
    func double(_ expected: String) throws -> Double {
        if let string = part.string {
            switch string {
            case "inf": return .infinity
            case "-inf": return -.infinity
            case "nan": return .nan
            default: throw wrongKind(expected)
            }
        }
        guard part.kind == .number else { throw wrongKind(expected) }
        let digits = part.text
        guard let number = Double(digits), number.isFinite else {
            throw failure("\(digits) is too large for a number. Write \(expected), or \"inf\".")
        }
        return number
    }

    /// A date in seconds since 1970, or `{"since2001": …}` for dates that need more precision.
    func date() throws -> Date {
        let expected = "seconds since 1970, a number"
        guard part.kind == .object else { return Date(timeIntervalSince1970: try double(expected)) }
        let object = try object(expected, known: ["since2001"])
        return Date(timeIntervalSinceReferenceDate: try object.required("since2001").double("seconds since 2001"))
    }

    func base64() throws -> Data {
        guard let data = Data(base64Encoded: try string("Base64")) else {
            throw failure("It is not Base64. Write letters, digits, + and /, padded with = to a multiple of four.")
        }
        return data
    }
}

/// The members of an object whose names have been checked.
struct FixtureObject {
    let node: FixtureNode
    let members: [String: FixtureNode]

    subscript(name: String) -> FixtureNode? { members[name] }

    func required(_ name: String) throws -> FixtureNode {
        guard let member = members[name] else { throw node.failure("The member \"\(name)\" is missing.") }
        return member
    }
}
