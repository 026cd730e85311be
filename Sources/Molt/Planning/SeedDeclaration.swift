internal import Foundation

/// A declared file of values that the app ships; see ``MigrationRegistry/seed(_:from:removingOthers:)``.
struct SeedDeclaration: Sendable {
    let name: String
    let url: URL
    let apply: Work

    /// Applies the file to a store that an opening has upgraded, with the report of that upgrade.
    ///
    /// It returns nil if the store has had the file already.
    typealias Work =
        @Sendable (StoreFile, MigrationReport, MigrationRegistry, MoltConfiguration) throws -> MigrationReport.Seed?

    private static let chunkSize = 1 << 20

    /// The digest of a file's bytes.
    ///
    /// They are read through SQLite: closing a file would drop the locks that this process has on a store.
    ///
    /// - Throws: ``MoltError`` with the code `fileMissing`, `notAFile` or `noPermission`, or that of a failed read.
    static func digest(of url: URL) throws -> String {
        let path = FileStatus.path(of: url)
        func failure(_ code: MoltError.Code, _ problem: String) -> MoltError {
            MoltError(code, problem, advice: "Ship the file with the app, or remove the seed from the registry.")
        }
        guard path.hasPrefix("/"), let status = try FileStatus.of(path) else {
            throw failure(.fileMissing, "There is no file at \(path).")
        }
        guard status.isFile else { throw failure(.notAFile, "The path \(path) is a directory or a device.") }
        let bytes = try withErrors(of: path) { () throws(SQLiteError) -> [UInt8]? in
            let connection = try Connection(path, mode: .immutable)
            defer { connection.close() }
            var bytes: [UInt8] = []
            while bytes.count < status.size {
                let count = min(chunkSize, status.size - bytes.count)
                guard let chunk = try connection.fileBytes(at: bytes.count, count) else { return nil }
                bytes += chunk
            }
            return bytes
        }
        guard let bytes else { throw failure(.noPermission, "The file at \(path) cannot be read.") }
        return SHA256.hexadecimal(of: bytes)
    }
}

extension MigrationRegistry {
    var seedFaults: [String] {
        var names: Set<String> = []
        return seeds.compactMap { seed in
            if seed.name.allSatisfy(\.isWhitespace) {
                return "A seed has an empty name. Give it one that never changes."
            }
            return names.insert(seed.name).inserted
                ? nil : "Two seeds are named \"\(seed.name)\". Names of seeds are unique: choose another."
        }
    }

    /// The names of the seeds that opening a store would apply, in order, also of those whose files cannot be read.
    ///
    /// - Parameter store: The store where it is now.
    func seedsToApply(to store: StoreFile) throws -> [String] {
        guard !seeds.isEmpty else { return [] }
        let digests = try store.seedDigests()
        return seeds.filter { seed in
            guard let digest = digests[seed.name] else { return true }
            return (try? SeedDeclaration.digest(of: seed.url)) != digest
        }.map(\.name)
    }
}
