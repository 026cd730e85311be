internal import MoltCore

extension GeneratedValue {
    /// Smaller values for the same place, the smallest first.
    ///
    /// Each is smaller than this one in one of these: places, bytes, size of a number, letters other than "a". So whoever
    /// goes on from one of them comes to an end.
    func smaller(_ shape: ValueShape) -> [GeneratedValue] {
        let inside = smallerInside(shape)
        return shape.canBeNull && self != .null ? [.null] + inside : inside
    }

    private func smallerInside(_ shape: ValueShape) -> [GeneratedValue] {
        switch self {
        case .null, .unusual: []
        case .bool(let bool): bool ? [.bool(false)] : []
        case .whole(let number): Self.smaller(whole: number)
        case .fraction(let number): Self.smaller(fraction: number)
        case .string(let string): Self.smaller(string)
        case .date(let seconds): seconds == 0 ? [] : [.date(0)]
        case .data(let bytes): Self.parts(bytes).map { .data($0) }
        case .array(let elements): Self.smaller(elements, shape)
        case .object(let properties): Self.smaller(properties, shape)
        }
    }

    // MARK: Leaves

    private static func smaller(whole number: RecordNumber) -> [GeneratedValue] {
        guard let value = number.integer(Int64.self) else { return [.whole(0), .whole(RecordNumber(Int64.max))] }
        guard value != 0 else { return [] }
        var smaller: [Int64] = [0]
        // A number that is not negative is simpler than one that is.
        if value < 0 && value != Int64.min { smaller.append(-value) }
        // Less by a half, a quarter, an eighth, at last by 1: soon there, wherever the border is.
        var less = value / 2
        while less != 0 {
            smaller.append(value - less)
            less /= 2
        }
        return smaller.filter { $0 != value }.map { .whole(RecordNumber($0)) }
    }

    private static func smaller(fraction number: RecordNumber) -> [GeneratedValue] {
        guard number.text != "0.5" else { return [] }
        var smaller: [GeneratedValue] = [.fraction(0.5)]
        // A cut off text: fewer digits, and still a fraction.
        if number.text.hasPrefix("-"), let positive = RecordNumber(text: String(number.text.dropFirst())) {
            smaller.append(.fraction(positive))
        }
        if let dot = number.text.firstIndex(of: "."), let short = RecordNumber(text: number.text[...dot] + "0") {
            if short.text.utf8.count < number.text.utf8.count { smaller.append(.fraction(short)) }
        }
        return smaller
    }

    private static func smaller(_ string: String) -> [GeneratedValue] {
        let characters = Array(string)
        var smaller = parts(characters).map { String($0) }
        // By scalars, because what is one character may be long.
        let scalars = Array(string.unicodeScalars)
        if scalars.count != characters.count, scalars.count <= 32 {
            smaller += parts(scalars).map { part in part.reduce(into: "") { $0.unicodeScalars.append($1) } }
        }
        if characters.count <= 32 {
            for (index, character) in characters.enumerated() where character != "a" {
                var simple = characters
                simple[index] = "a"
                smaller.append(String(simple))
            }
        }
        return smaller.filter { !$0.utf8.elementsEqual(string.utf8) }.map { .string($0) }
    }

    /// Nothing, halves, and, when it is short, all but one.
    private static func parts<Element>(_ elements: [Element]) -> [[Element]] {
        let count = elements.count
        guard count > 0 else { return [] }
        var parts: [[Element]] = [[]]
        if count > 1 { parts += [Array(elements[..<(count / 2)]), Array(elements[(count / 2)...])] }
        if count > 2, count <= 32 {
            for index in elements.indices {
                var part = elements
                part.remove(at: index)
                parts.append(part)
            }
        }
        return parts
    }

    // MARK: Containers

    private static func smaller(_ elements: [GeneratedValue], _ shape: ValueShape) -> [GeneratedValue] {
        guard let element = shape.element else { return [] }
        var smaller = parts(elements).map { GeneratedValue.array($0) }
        for (index, value) in elements.enumerated() {
            for other in value.smaller(element) {
                var changed = elements
                changed[index] = other
                smaller.append(.array(changed))
            }
        }
        return smaller
    }

    private static func smaller(_ properties: [Property], _ shape: ValueShape) -> [GeneratedValue] {
        var smaller: [GeneratedValue] = []
        for (index, property) in properties.enumerated() {
            guard let known = shape.property(property.name) else { continue }
            if shape.isOptional(known) {
                var fewer = properties
                fewer.remove(at: index)
                smaller.append(.object(fewer))
            }
            for value in property.value.smaller(known.shape) {
                var changed = properties
                changed[index].value = value
                smaller.append(.object(changed))
            }
        }
        return smaller
    }
}
