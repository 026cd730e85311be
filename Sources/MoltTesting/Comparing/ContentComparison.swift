internal import MoltCore

/// The differences between two JSON contents, by property path.
struct ContentComparison {
    private(set) var lines: [String] = []

    /// - Parameter place: The prefix of all paths.
    init(_ expected: [UInt8], _ found: [UInt8], at place: String) {
        guard expected != found else { return }
        // Content that is not JSON is compared as bytes below.
        if let left = try? JSONPart(String(decoding: expected, as: UTF8.self)),
            let right = try? JSONPart(String(decoding: found, as: UTF8.self))
        {
            compare(left, right, at: place)
        }
        // The difference is in white space, duplicate properties or bytes that are not JSON.
        if lines.isEmpty { lines.append(Self.otherBytes(expected, found, at: place)) }
    }

    private mutating func compare(_ expected: JSONPart, _ found: JSONPart, at place: String) {
        guard expected.utf8 != found.utf8 else { return }
        if let expected = expected.properties, let found = found.properties {
            compare(expected, found, at: place)
        } else if let expected = expected.elements, let found = found.elements {
            compare(expected, found, at: place)
        } else {
            let shown = Shown.pair(expected.utf8, found.utf8)
            let remark = Self.remark(expected, found).map { "; \($0)" } ?? ""
            lines.append("\(place): expected \(shown.0), found \(shown.1)\(remark)")
        }
    }

    private typealias Properties = [(name: String, value: JSONPart)]

    private mutating func compare(_ expected: Properties, _ found: Properties, at place: String) {
        let before = lines.count
        let expectedNames = Set(expected.map(\.name))
        let foundValues = Dictionary(found.map { ($0.name, $0.value) }) { $1 }
        for (name, value) in expected {
            let inner = place + Shown.property(name)
            if let other = foundValues[name] {
                compare(value, other, at: inner)
            } else {
                lines.append("\(inner): missing, expected \(Shown.json(value.utf8))")
            }
        }
        for (name, value) in found where !expectedNames.contains(name) {
            lines.append("\(place)\(Shown.property(name)): unexpected, found \(Shown.json(value.utf8))")
        }
        let order = (
            expected.map(\.name).filter { foundValues[$0] != nil }, found.map(\.name).filter(expectedNames.contains)
        )
        // With other differences, the order is not reported, because fixing them may fix the order.
        if order.0 != order.1, lines.count == before {
            let names = (order.0.joined(separator: ", "), order.1.joined(separator: ", "))
            lines.append(
                "\(place): the same properties in another order: expected \(Shown.text(names.0)), "
                    + "found \(Shown.text(names.1))"
            )
        }
    }

    private mutating func compare(_ expected: [JSONPart], _ found: [JSONPart], at place: String) {
        // Equal elements at both ends are skipped, so that an inserted element is one line.
        let both = zip(expected, found)
        let start = both.prefix { $0.utf8 == $1.utf8 }.count
        let atEnd = zip(expected.reversed(), found.reversed()).prefix { $0.utf8 == $1.utf8 }.count
        let end = min(atEnd, min(expected.count, found.count) - start)
        let (left, right) = (expected.dropFirst(start).dropLast(end), found.dropFirst(start).dropLast(end))
        for (index, pair) in zip(left, right).enumerated() {
            compare(pair.0, pair.1, at: "\(place)[\(start + index)]")
        }
        let common = min(left.count, right.count)
        for (index, value) in left.enumerated().dropFirst(common) {
            lines.append("\(place)[\(start + index)]: missing, expected \(Shown.json(value.utf8))")
        }
        for (index, value) in right.enumerated().dropFirst(common) {
            lines.append("\(place)[\(start + index)]: unexpected, found \(Shown.json(value.utf8))")
        }
    }

    /// A remark for strings that are equal although their bytes differ.
    private static func remark(_ expected: JSONPart, _ found: JSONPart) -> String? {
        guard let left = expected.string, let right = found.string, left == right else { return nil }
        return left.utf8.elementsEqual(right.utf8)
            ? "the text is the same, it is written with other escapes"
            : "the texts look the same, their characters are composed in another way"
    }

    private static func otherBytes(_ expected: [UInt8], _ found: [UInt8], at place: String) -> String {
        let first = zip(expected, found).prefix { $0 == $1 }.count
        let shown = (Shown.json(expected[first...]), Shown.json(found[first...]))
        return "\(place): the same value in other bytes, from byte \(first): expected \(shown.0), found \(shown.1)"
    }
}
