internal import Molt

/// The differences between two JSON contents, by property path.
package struct ContentComparison {
    package private(set) var differences: [ContentDifference] = []

    /// - Parameter path: The prefix of all paths.
    package init(_ expected: [UInt8], _ found: [UInt8], at path: String = "") {
        guard expected != found else { return }
        // Content that is not JSON is compared as bytes below.
        if let left = try? JSONPart(String(decoding: expected, as: UTF8.self)),
            let right = try? JSONPart(String(decoding: found, as: UTF8.self))
        {
            compare(left, right, at: path)
        }
        // The difference is in white space, duplicate properties or bytes that are not JSON.
        if differences.isEmpty { differences.append(Self.otherBytes(expected, found, at: path)) }
    }

    private mutating func compare(_ expected: JSONPart, _ found: JSONPart, at path: String) {
        guard expected.utf8 != found.utf8 else { return }
        if let expected = expected.properties, let found = found.properties {
            compare(expected, found, at: path)
        } else if let expected = expected.elements, let found = found.elements {
            compare(expected, found, at: path)
        } else {
            add(path, expected.text, found.text, Self.remark(expected, found))
        }
    }

    private typealias Properties = [(name: String, value: JSONPart)]

    private mutating func compare(_ expected: Properties, _ found: Properties, at path: String) {
        let before = differences.count
        let expectedNames = Set(expected.map(\.name))
        let foundValues = Dictionary(found.map { ($0.name, $0.value) }) { $1 }
        for (name, value) in expected {
            let inner = path + Shown.property(name)
            if let other = foundValues[name] {
                compare(value, other, at: inner)
            } else {
                add(inner, value.text, nil)
            }
        }
        for (name, value) in found where !expectedNames.contains(name) {
            add(path + Shown.property(name), nil, value.text)
        }
        let order = (
            expected.map(\.name).filter { foundValues[$0] != nil }, found.map(\.name).filter(expectedNames.contains)
        )
        // With other differences, the order is not reported, because fixing them may fix the order.
        if order.0 != order.1, differences.count == before {
            add(path, order.0.joined(separator: ", "), order.1.joined(separator: ", "), .otherOrder)
        }
    }

    private mutating func compare(_ expected: [JSONPart], _ found: [JSONPart], at path: String) {
        // Equal elements at both ends are skipped, so that an inserted element is one line.
        let both = zip(expected, found)
        let start = both.prefix { $0.utf8 == $1.utf8 }.count
        let atEnd = zip(expected.reversed(), found.reversed()).prefix { $0.utf8 == $1.utf8 }.count
        let end = min(atEnd, min(expected.count, found.count) - start)
        let (left, right) = (expected.dropFirst(start).dropLast(end), found.dropFirst(start).dropLast(end))
        for (index, pair) in zip(left, right).enumerated() {
            compare(pair.0, pair.1, at: "\(path)[\(start + index)]")
        }
        let common = min(left.count, right.count)
        for (index, value) in left.enumerated().dropFirst(common) {
            add("\(path)[\(start + index)]", value.text, nil)
        }
        for (index, value) in right.enumerated().dropFirst(common) {
            add("\(path)[\(start + index)]", nil, value.text)
        }
    }

    private mutating func add(
        _ path: String,
        _ expected: String?,
        _ found: String?,
        _ remark: ContentDifference.Remark? = nil
    ) {
        differences.append(ContentDifference(path, expected, found, remark))
    }

    /// A remark for strings that are equal although their bytes differ.
    private static func remark(_ expected: JSONPart, _ found: JSONPart) -> ContentDifference.Remark? {
        guard let left = expected.string, let right = found.string, left == right else { return nil }
        return left.utf8.elementsEqual(right.utf8) ? .otherEscapes : .otherComposition
    }

    private static func otherBytes(_ expected: [UInt8], _ found: [UInt8], at path: String) -> ContentDifference {
        let first = zip(expected, found).prefix { $0 == $1 }.count
        let texts = [expected, found].map { String(decoding: $0[first...], as: UTF8.self) }
        return ContentDifference(path, texts[0], texts[1], .otherBytes(from: first))
    }
}
