/// SipHash-1-3 with a zero key, which Cache uses for the file names of keys that are not strings.
///
/// Swift's own `Hasher` computes the same once its random seed is removed, as Cache does.
enum SipHash {
    /// Returns the hash of an integer's bytes in little-endian order, as `Hasher` feeds them.
    static func hash(of number: some FixedWidthInteger) -> UInt64 {
        let bytes = withUnsafeBytes(of: number.littleEndian) { Array($0) }
        var state = State()
        let end = bytes.count - bytes.count % 8
        for start in stride(from: 0, to: end, by: 8) {
            state.add(word(bytes[start..<start + 8]))
        }
        // The top byte of the last word is the number of bytes.
        state.add(word(bytes[end...]) | UInt64(truncatingIfNeeded: bytes.count) << 56)
        return state.finish()
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private struct State {
        private var v0: UInt64 = 0x736F_6D65_7073_6575
        private var v1: UInt64 = 0x646F_7261_6E64_6F6D
        private var v2: UInt64 = 0x6C79_6765_6E65_7261
        private var v3: UInt64 = 0x7465_6462_7974_6573

        mutating func add(_ word: UInt64) {
            v3 ^= word
            mix()
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xFF
            for _ in 0..<3 { mix() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func mix() {
            v0 &+= v1
            v1 = rotated(v1, by: 13) ^ v0
            v0 = rotated(v0, by: 32)
            v2 &+= v3
            v3 = rotated(v3, by: 16) ^ v2
            v0 &+= v3
            v3 = rotated(v3, by: 21) ^ v0
            v2 &+= v1
            v1 = rotated(v1, by: 17) ^ v2
            v2 = rotated(v2, by: 32)
        }

        private func rotated(_ word: UInt64, by count: UInt64) -> UInt64 {
            word << count | word >> (64 - count)
        }
    }
}
