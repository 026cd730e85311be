/// A random number generator whose numbers depend only on the seed, on every platform and in every run.
///
/// ```swift
/// var random = SeededGenerator(seed: 7)
/// let lucky = Int.random(in: 1...49, using: &random)
/// let name = random.pick(["Ada", "Grace", "Hedy"])
/// ```
///
/// The algorithm is SplitMix64, from Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator; neighboring seeds give unrelated numbers.
    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to but not including a bound; 0 when the bound is not positive.
    package mutating func below(_ bound: Int) -> Int {
        // `Int.random(in:using:)` draws different numbers where an Int has 32 bits.
        let number = next()
        return bound > 0 ? Int(number.multipliedFullWidth(by: UInt64(bound)).high) : 0
    }

    /// Returns true once in `count` times on average.
    package mutating func oneIn(_ count: Int) -> Bool {
        below(count) == 0
    }

    /// Returns one of the elements; there must be at least one.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
