internal import Foundation
internal import Molt

/// The text of a fixture's file, with places for errors.
struct FixtureText: Sendable {
    private let bytes: [UInt8]
    private let file: URL?
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Reads a file.
    ///
    /// - Throws: ``TestingError`` with the code `unreadable`.
    init(contentsOf url: URL) throws {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw TestingError(.unreadable, "The fixture cannot be read.", file: url, underlying: error)
        }
        self.init(data, file: url)
    }

    init(_ data: Data, file: URL?) {
        let bytes = Array(data)
        // Some editors write one.
        self.bytes = bytes.starts(with: Self.byteOrderMark) ? Array(bytes.dropFirst(Self.byteOrderMark.count)) : bytes
        self.file = file
    }

    /// Parses the text strictly as JSON.
    ///
    /// - Throws: ``TestingError`` with the code `malformedFixture` and the place of the error.
    func root() throws -> FixtureNode {
        guard let text = String(utf8: bytes) else {
            let valid = Self.validCount(of: bytes)
            throw failure(at: valid, "The file is not UTF-8 text from here on. Save it as UTF-8.", column: true)
        }
        guard !Self.hasConflict(bytes) else {
            throw failure(
                at: 0,
                "\(Self.conflict) Keep the file of one side."
            )
        }
        do {
            return FixtureNode(text: self, part: try JSONPart(text), path: "")
        } catch {
            throw failure(at: error.offset, "This is not JSON text: \(error.reason.rawValue).", column: true)
        }
    }

    /// The problem with a file in which a version control system has left the lines of two branches.
    static let conflict = "The file has the conflict markers of a merge."

    /// Whether an error says that a file has them.
    static func isConflict(_ error: any Error) -> Bool {
        (error as? TestingError)?.message.contains(conflict) ?? false
    }

    /// Whether a version control system has left the lines of two branches in a text.
    static func hasConflict(_ text: some Collection<UInt8>) -> Bool {
        text.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: "<<<<<<< ".utf8) }
    }

    func failure(at offset: Int, path: String = "", _ message: String, column: Bool = false) -> TestingError {
        let before = bytes[..<min(offset, bytes.count)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        var location = path.isEmpty ? "line \(line)" : "\(path) (line \(line))"
        if column { location += ", column \(String(decoding: before[start...], as: UTF8.self).count + 1)" }
        return TestingError(.malformedFixture, "\(location): \(message)", file: file)
    }

    /// The number of leading bytes that are valid UTF-8.
    private static func validCount(of bytes: [UInt8]) -> Int {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var count = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { count += UTF8.width(scalar) }
        return count
    }
}
