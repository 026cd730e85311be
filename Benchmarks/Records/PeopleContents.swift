import Foundation

/// Makes the contents of records, one after the other.
struct PeopleContents {
    private let size: RecordSize
    private let encoder = People.encoder()

    /// Makes contents of a size.
    init(_ size: RecordSize) {
        self.size = size
    }

    /// The content of a record before the upgrade, as the encoder writes it.
    ///
    /// - Throws: What the encoder throws.
    func content(_ index: Int) throws -> [UInt8] {
        if size == .small { return Array(People.content(index).utf8) }
        return try Array(encoder.encode(People.profile(index, size)))
    }

    /// The content of a record after its property `mail` was renamed, in its place.
    ///
    /// - Throws: What the encoder throws; ``BenchmarkError``.
    func renamedContent(_ index: Int) throws -> [UInt8] {
        if size == .small { return Array(People.renamedContent(index).utf8) }
        var content = try content(index)
        let name = Array(#","mail":"#.utf8)
        // In a text, the quotes would be escaped.
        let start = content.indices.dropLast(name.count).first { start in
            content[start] == name[0] && content[start..<(start + name.count)].elementsEqual(name)
        }
        guard let start else { throw BenchmarkError("Record \(index) has no property \"mail\".") }
        content.replaceSubrange(start..<(start + name.count), with: #","email":"#.utf8)
        return content
    }
}
