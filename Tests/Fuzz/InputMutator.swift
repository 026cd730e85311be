import Generators

/// Derives inputs from valid ones with a few changes each, from a flipped bit to a splice of two inputs.
struct InputMutator {
    let corpus: [[UInt8]]
    /// Tokens of the grammar, inserted at random places.
    let words: [[UInt8]]
    /// The maximum length, in bytes.
    private static let longest = 20_000

    mutating func input(_ random: inout SeededGenerator) -> [UInt8] {
        if random.oneIn(50) { return (0..<random.below(300)).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
        var bytes = random.pick(corpus)
        // Usually one change, because an almost valid input gets furthest.
        let changes = random.oneIn(2) ? 1 : 1 + random.below(random.oneIn(4) ? 12 : 4)
        for _ in 0..<changes { change(&bytes, &random) }
        return bytes
    }

    private func change(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let place = random.below(bytes.count + 1)
        let part = place..<min(bytes.count, place + 1 + random.below(random.oneIn(5) ? 200 : 8))
        switch random.below(11) {
        case 0 where !part.isEmpty: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1 where !part.isEmpty: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 3: bytes.removeSubrange(part)
        case 4: bytes.removeSubrange(place...)
        case 5, 6: bytes.insert(contentsOf: random.pick(words), at: place)
        case 7:
            let copy = Array(bytes[part])
            for _ in 0..<(1 + random.below(random.oneIn(10) ? 600 : 3)) {
                guard bytes.count + copy.count < Self.longest else { return }
                bytes.insert(contentsOf: copy, at: place)
            }
        case 8:
            let other = random.pick(corpus)
            let cut = random.below(other.count + 1)
            bytes = Array(bytes[..<place] + other[cut...])
        case 9: for index in part { bytes[index] = [0x00, 0xFF, 0x7F, 0x80][random.below(4)] }
        case 10 where !random.oneIn(4) && !part.isEmpty:
            bytes[place] = bytes[place] &+ UInt8(truncatingIfNeeded: random.below(7) - 3)
        default:
            // Deep nesting: the same token repeated, closed or not.
            let depth = random.below(random.oneIn(20) ? 5_000 : 600)
            let word = random.pick(words)
            guard bytes.count + word.count * depth < Self.longest else { return }
            bytes.insert(contentsOf: Array(repeatElement(word, count: depth).joined()), at: place)
        }
    }
}
