/// How Cache 7 names the file of a key: `DiskStorage.makeFileName(for:)` of github.com/hyperoslo/Cache.
///
/// For a string it is the MD5 digest of the key, and behind a dot the key's path extension, if it has one. What is
/// a path extension differs from one Foundation to another, so a file is known by its digest alone. For any other key
/// it is the decimal of a hash with a fixed seed.
package enum CacheFileName {
    /// What the name of a string's file begins with, up to the dot.
    package static func digest(of key: String) -> String {
        MD5.hexadecimal(of: key.utf8)
    }

    /// The name of the file of a whole number.
    package static func digest(of key: Int) -> String {
        // The length of an Int is that of the device, as it was when the file was written.
        String(Int(truncatingIfNeeded: SipHash.hash(of: key)))
    }

    /// What the file of a key may begin with: that of the string, and that of the whole number which it spells.
    package static func digests(of key: String) -> [String] {
        guard let number = Int(key), String(number) == key else { return [digest(of: key)] }
        return [digest(of: key), digest(of: number)]
    }

    /// What the name of a file begins with, or nil when Cache cannot have given it.
    package static func digest(ofFile name: String) -> String? {
        let bytes = name.utf8
        let start = bytes.prefix(32)
        if start.count == 32, start.allSatisfy(isDigit), bytes.count != 33, bytes.dropFirst(32).first ?? dot == dot {
            return String(decoding: start, as: UTF8.self)
        }
        return Int(name).map(String.init) == name ? name : nil
    }

    private static let dot = UInt8(ascii: ".")

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte
    }
}
