/// Random numbers that are the same for the same seed, on every platform and in every run.
///
/// ```swift
/// var random = SeededGenerator(seed: 7)
/// let lucky = Int.random(in: 1...49, using: &random)
/// let name = random.pick(["Ada", "Grace", "Hedy"])
/// ```
///
/// It is SplitMix64, as Steele, Lea and Flood describe it in "Fast splittable pseudorandom number generators" (2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator; neighbouring seeds give unrelated numbers.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to a bound, without the bound; 0 when there is none.
    package mutating func below(_ bound: Int) -> Int {
        // `Int.random(in:using:)` draws other numbers where an Int has 32 bits.
        let number = next()
        return bound > 0 ? Int(number.multipliedFullWidth(by: UInt64(bound)).high) : 0
    }

    /// Whether something that happens once in `count` times happens now.
    package mutating func oneIn(_ count: Int) -> Bool {
        below(count) == 0
    }

    /// One of the elements, of which there must be one.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
