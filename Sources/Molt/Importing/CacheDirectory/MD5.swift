internal import Foundation

/// The MD5 digest (RFC 1321), which Cache's file names contain; it is not used for security.
///
/// CryptoKit is not available on Linux.
package enum MD5 {
    /// Returns the digest in uppercase hexadecimal digits, as in Cache's file names.
    package static func hexadecimal(of message: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let digest = digest(of: Array(message))
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func digest(of message: [UInt8]) -> [UInt8] {
        // A 1 bit, zeros up to a full block, and the length in bits.
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        padded += bytes(of: UInt64(message.count) &* 8)
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for start in stride(from: 0, to: padded.count, by: 64) { add(padded[start..<start + 64], to: &state) }
        return state.flatMap { bytes(of: $0) }
    }

    private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// The rotation of each round's four steps.
    private static let rotations: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    /// The constants of the steps, as RFC 1321 defines them: 4 294 967 296 times the sine of the step's number.
    private static let constants = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        let words = (0..<16).map { index in
            let start = block.startIndex + index * 4
            return block[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let mixed: UInt32
            let word: Int
            switch step / 16 {
            case 0: (mixed, word) = (b & c | ~b & d, step)
            case 1: (mixed, word) = (b & d | c & ~d, 5 * step + 1)
            case 2: (mixed, word) = (b ^ c ^ d, 3 * step + 5)
            default: (mixed, word) = (c ^ (b | ~d), 7 * step)
            }
            let sum = a &+ mixed &+ constants[step] &+ words[word % 16]
            let rotation = rotations[step / 16][step % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << rotation | sum >> (32 - rotation)))
        }
        state = zip(state, [a, b, c, d]).map { $0 &+ $1 }
    }
}
