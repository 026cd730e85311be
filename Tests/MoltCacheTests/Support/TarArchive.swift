import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The files in a tar archive, with their modification times to the nanosecond (POSIX pax format).
struct TarArchive {
    struct File: Hashable {
        var name: String
        var content: Data
        /// In nanoseconds since 1970.
        var modified: Int64
    }

    var files: [File] = []

    init(_ url: URL) throws {
        let bytes = [UInt8](try Data(contentsOf: url))
        var offset = 0
        var extended: [String: String] = [:]
        while offset + 512 <= bytes.count, bytes[offset] != 0 {
            let header = bytes[offset..<offset + 512]
            let size = Int(Self.text(header, 124, 12), radix: 8) ?? 0
            let content = bytes[offset + 512..<offset + 512 + size]
            offset += 512 + (size + 511) / 512 * 512
            switch header[header.startIndex + 156] {
            case UInt8(ascii: "x"):
                extended = Self.records(content)
                continue
            case UInt8(ascii: "0"):
                let seconds = Int64(Self.text(header, 136, 12), radix: 8) ?? 0
                files.append(
                    File(
                        name: extended["path"] ?? Self.text(header, 0, 100),
                        content: Data(content),
                        modified: extended["mtime"].flatMap(Self.nanoseconds) ?? seconds * 1_000_000_000
                    )
                )
            default:
                break
            }
            extended = [:]
        }
    }

    /// Writes the files of one of the archive's directories into a directory.
    func unpack(_ directory: String, into url: URL) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for file in files where file.name.hasPrefix(directory + "/") {
            let name = String(file.name.dropFirst(directory.count + 1))
            try write(file.content, to: url.appendingPathComponent(name), modified: file.modified)
        }
    }

    private static func text(_ header: ArraySlice<UInt8>, _ start: Int, _ length: Int) -> String {
        let field = header.dropFirst(start).prefix(length).prefix { $0 != 0 }
        return String(decoding: field, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }

    /// The records of an extended header: each a length, a space, a name, an equals sign, a value and a line feed.
    private static func records(_ content: ArraySlice<UInt8>) -> [String: String] {
        let lines = String(decoding: content, as: UTF8.self).split(separator: "\n")
        return Dictionary(
            lines.compactMap { line in
                guard let space = line.firstIndex(of: " "), let equals = line.firstIndex(of: "=") else { return nil }
                return (String(line[line.index(after: space)..<equals]), String(line[line.index(after: equals)...]))
            },
            uniquingKeysWith: { $1 }
        )
    }

    private static func nanoseconds(_ text: String) -> Int64? {
        let parts = text.split(separator: ".")
        guard let seconds = parts.first.flatMap({ Int64($0) }) else { return nil }
        let fraction = (parts.count > 1 ? String(parts[1]) : "").padding(toLength: 9, withPad: "0", startingAt: 0)
        return seconds * 1_000_000_000 + (Int64(fraction) ?? 0)
    }
}

/// Writes a file, and sets when it was last modified, in nanoseconds since 1970.
func write(_ content: Data, to url: URL, modified: Int64) throws {
    // Foundation would wait for the disk, for each file.
    let file = fopen(url.path, "w")
    guard let file, content.withUnsafeBytes({ fwrite($0.baseAddress, 1, $0.count, file) }) == content.count,
        fclose(file) == 0
    else { throw CocoaError(.fileWriteUnknown) }
    let time = timespec(tv_sec: Int(modified / 1_000_000_000), tv_nsec: Int(modified % 1_000_000_000))
    let times = [time, time]
    guard utimensat(AT_FDCWD, url.path, times, 0) == 0 else { throw CocoaError(.fileWriteUnknown) }
}
