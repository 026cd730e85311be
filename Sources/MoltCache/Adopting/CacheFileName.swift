/// The file names of Cache 7: `DiskStorage.makeFileName(for:)` of github.com/hyperoslo/Cache.
///
/// For a string key, the name is the MD5 digest of the key, then a dot and the key's path extension, if it has one.
/// Foundation's versions disagree about path extensions, so only the digest identifies a file. For any other key, the
/// name is the decimal form of a hash with a fixed seed.
package enum CacheFileName {
    /// Returns the file name of a string key, up to the dot.
    package static func digest(of key: String) -> String {
        MD5.hexadecimal(of: key.utf8)
    }

    /// Returns the file name of an `Int` key.
    package static func digest(of key: Int) -> String {
        // The size of Int is that of the device, as when the file was written.
        String(Int(truncatingIfNeeded: SipHash.hash(of: key)))
    }

    /// Returns the possible digests of a key: as a string, and as an integer if it is the decimal form of one.
    package static func digests(of key: String) -> [String] {
        guard let number = Int(key), String(number) == key else { return [digest(of: key)] }
        return [digest(of: key), digest(of: number)]
    }

    /// Returns the digest in a file's name; nil when Cache cannot have chosen the name.
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
