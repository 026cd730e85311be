/// The hashes of a catalog's files, as text that `shasum -a 256 -c fixtures.lock` can check.
struct FixtureLock: Hashable, Sendable {
    /// The name of the file.
    static let file = "fixtures.lock"

    /// SHA-256 in hexadecimal digits, by the paths inside the catalog.
    var hashes: [String: String] = [:]
    /// What is wrong with the text, a sentence each.
    private(set) var faults: [String] = []

    /// A lock without lines.
    init() {}

    /// Reads the text of a lock; lines that are none are faults.
    init(_ text: String) {
        // A version control system may have made "\r\n" of the line ends.
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            let hash = line.prefix(64)
            let path = line.dropFirst(66)
            let isLine =
                hash.utf8.count == 64 && hash.allSatisfy { $0.isHexDigit && !$0.isUppercase }
                && line.dropFirst(64).hasPrefix("  ") && !path.isEmpty
            if !isLine {
                faults.append("Line \(index + 1) is not a hash, two spaces and a path.")
            } else if let other = hashes.updateValue(String(hash), forKey: String(path)), other != hash {
                faults.append("Line \(index + 1) is another one about \(path).")
            }
        }
    }

    /// The lines, sorted by path.
    var text: String {
        hashes.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
            .map { "\($0.value)  \($0.key)\n" }
            .joined()
    }

    /// The newest version that a line is about.
    var newestVersion: Int? {
        hashes.keys.compactMap { CatalogFile(path: $0)?.version }.max()
    }
}
