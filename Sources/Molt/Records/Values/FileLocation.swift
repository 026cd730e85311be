/// Where a file is, as a record stores it: an absolute path, or the string of a file URL.
///
/// Only the text counts, so the result is the same on every device. Bytes are compared, because a character may consist
/// of a slash and an accent.
enum FileLocation {
    enum Fault: Error {
        /// The text is neither a path nor the string of a file URL.
        case notAPath
        /// The path does not lead into the directory.
        case elsewhere
    }

    /// The path that follows a directory in a text; a relative path stays as it is.
    ///
    /// - Parameter directory: The name of the directory, which may begin with those of directories around it. Where a
    ///   path has it more than once, the first one counts.
    static func path(_ text: String, in directory: String) throws(Fault) -> String {
        guard let path = try absolutePath(Array(text.utf8)) else { return text }
        let names = path.split(separator: slash)
        let wanted = Array(directory.utf8).split(separator: slash)
        guard let start = names.indices.first(where: { names[$0...].starts(with: wanted) }) else { throw .elsewhere }
        let rest = names[(start + wanted.count)...]
        // It may lead out of the directory again.
        if rest.contains(Array("..".utf8)[...]) { throw .elsewhere }
        let end = path.last == slash && !rest.isEmpty ? [slash] : []
        return String(decoding: rest.joined(separator: [slash]) + end, as: UTF8.self)
    }

    private static let slash = UInt8(ascii: "/")

    /// The absolute path that a text stands for; nil for a relative one.
    private static func absolutePath(_ text: [UInt8]) throws(Fault) -> [UInt8]? {
        if text.contains(0) { throw .notAPath }
        if text.first == slash || text.starts(with: "~/".utf8) { return text }
        let scheme = text.prefix { $0 != UInt8(ascii: ":") && $0 != slash }
        let rest = text[scheme.endIndex...]
        guard String(decoding: scheme, as: UTF8.self).lowercased() == "file", rest.first == UInt8(ascii: ":") else {
            let isOther = rest.first == UInt8(ascii: ":") && isScheme(scheme)
            if isOther || rest.starts(with: "://".utf8) { throw .notAPath }
            return nil
        }
        // A URL always encodes them in a path.
        if rest.contains(where: { "?#".utf8.contains($0) }) { throw .notAPath }
        var path = rest.dropFirst()
        if path.starts(with: "//".utf8) {
            let host = path.dropFirst(2).prefix { $0 != slash }
            guard host.isEmpty || String(decoding: host, as: UTF8.self).lowercased() == "localhost" else {
                throw .notAPath
            }
            path = path[host.endIndex...]
        }
        guard path.first == slash, let decoded = decoded(Array(path)), String(utf8: decoded) != nil else {
            throw .notAPath
        }
        return decoded
    }

    /// Whether the text before a colon is the scheme of a URL (RFC 3986, section 3.1).
    private static func isScheme(_ text: ArraySlice<UInt8>) -> Bool {
        let characters = text.map { Character(Unicode.Scalar($0)) }
        guard let first = characters.first, first.isASCII, first.isLetter else { return false }
        return characters.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    /// A path with its percent escapes decoded; nil if they are not those of a path.
    ///
    /// A percent sign without two digits stands for itself: apps also make such strings without encoding them.
    private static func decoded(_ path: [UInt8]) -> [UInt8]? {
        var decoded: [UInt8] = []
        var index = 0
        while index < path.count {
            if path[index] == UInt8(ascii: "%"), index + 2 < path.count,
                let high = Character(Unicode.Scalar(path[index + 1])).hexDigitValue,
                let low = Character(Unicode.Scalar(path[index + 2])).hexDigitValue
            {
                decoded.append(UInt8(high << 4 | low))
                // Neither can be part of a name.
                if decoded.last == 0 || decoded.last == slash { return nil }
                index += 3
            } else {
                decoded.append(path[index])
                index += 1
            }
        }
        return decoded
    }
}
