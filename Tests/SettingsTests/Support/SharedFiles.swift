import Foundation
import Molt

/// Suites, and a directory with caches and messages, that several processes share.
struct SharedFiles: Codable, Sendable {
    let names: [String]
    private let directory: URL

    init(suites: Int) throws {
        names = (0..<suites).map { _ in TestHome.newSuiteName() }
        directory = try TestHome.directory.appendingPathComponent("shared-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// Removes all of the files.
    func remove() {
        try? removeStores()
        try? FileManager.default.removeItem(at: directory)
    }

    var suites: [Suite] { names.map { Suite($0) } }

    func cache(_ name: String = "cache") -> URL { directory.appendingPathComponent("\(name).molt") }

    // MARK: Messages between processes

    /// Appends a line to a file.
    func note(_ line: String, in name: String) throws {
        let bytes = Array("\(line)\n".utf8)
        let file = open(directory.appendingPathComponent(name).path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        guard write(file, bytes, bytes.count) == bytes.count else { throw CocoaError(.fileWriteUnknown) }
    }

    /// The number of times each line was appended.
    func notes(in name: String) throws -> [String: Int] {
        let text = try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)
        return Dictionary(text.split(separator: "\n").map { (String($0), 1) }) { $0 + $1 }
    }

    /// Stores a value for another process.
    func keep(_ value: some Encodable, as name: String) throws {
        try JSONEncoder().encode(value).write(to: directory.appendingPathComponent(name))
    }

    /// A value that another process stored.
    func kept<Value: Decodable>(_ name: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(contentsOf: directory.appendingPathComponent(name)))
    }

    // MARK: The stores' files

    /// The contents of the stores' files, by their paths, without shared memory.
    typealias Image = [String: Data]

    func image() throws -> Image {
        var image: Image = [:]
        for file in try storeFiles()
        where ["plist", "molt", "molt-wal", "molt-attempt", "molt-lock", "molt-ledger"].contains(file.pathExtension) {
            image[file.path] = try Data(contentsOf: file)
        }
        return image
    }

    /// Restores the contents of the files, as a process finds them that was just started.
    func restore(_ image: Image) throws {
        try removeStores()
        for (path, bytes) in image { try bytes.write(to: URL(fileURLWithPath: path)) }
        // The library forgets what it has read.
        for name in names { UserDefaults(suiteName: name)?.synchronize() }
    }

    /// The names of other files beside the suites' files.
    func otherFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: TestHome.directory.path).filter { file in
            names.contains { file.contains($0) && file != "\($0).plist" }
        }
    }

    private func storeFiles() throws -> [URL] {
        let home = try TestHome.directory
        let caches = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.contains(".molt") }
            .map { directory.appendingPathComponent($0) }
        let suites = try (otherFiles() + names.map { "\($0).plist" }).map { home.appendingPathComponent($0) }
        return (caches + suites).filter { FileManager.default.fileExists(atPath: $0.path) }
    }

    private func removeStores() throws {
        for file in try storeFiles() { try FileManager.default.removeItem(at: file) }
    }
}
