import Foundation
import Molt
import TestHome

/// The files of one test: a directory for a cache, and the files of its suites.
///
/// All paths contain the token, which distinguishes them from those of other tests.
struct TestPlace: Codable, Hashable, Sendable {
    let token: String
    /// The directory of the suites on Linux.
    let home: String

    init(token: String = UUID().uuidString) {
        self.token = token
        home = molt_test_home().map { String(cString: $0) } ?? NSTemporaryDirectory()
    }

    /// The directory for the cache.
    var directory: URL { URL(fileURLWithPath: "\(home)/molt-\(token)", isDirectory: true) }
    var cache: URL { directory.appendingPathComponent("cache.molt") }
    /// The app's own settings.
    var old: Molt.Suite { Molt.Suite("molt.old.\(token)") }
    /// The settings of its app group.
    var group: Molt.Suite { Molt.Suite("molt.group.\(token)") }

    /// Has the library forget what it has read, as in a process that was just started.
    func forgetSettings() {
        for suite in [old, group] { UserDefaults(suiteName: suite.domainName)?.synchronize() }
    }

    /// Creates the directory for the cache.
    func makeDirectory() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// Returns all existing paths, directories before their contents.
    func paths() throws -> [String] {
        let top = try FileManager.default.contentsOfDirectory(atPath: home).filter { $0.contains(token) }.sorted()
        return top.flatMap { name in
            let path = "\(home)/\(name)"
            let inside = (try? FileManager.default.subpathsOfDirectory(atPath: path))?.sorted() ?? []
            return [path] + inside.map { "\(path)/\($0)" }
        }
    }

    /// Throws if the cache is damaged.
    func checkWhole() throws {
        let damage = try StoreFile.damage(at: cache)
        guard damage.isEmpty else { throw Broken("It is damaged: \(damage.prefix(3))") }
    }

    /// Removes all files of the test.
    func remove() {
        for path in ((try? paths()) ?? []).reversed() { removeEntry(path) }
    }
}

extension Molt.Suite {
    /// The state of a suite that is upgraded without a cache: that of its ledger, or while changes are pending, that of
    /// the upgrade that has committed them.
    func upgradeState() throws -> StoreState {
        let file = try StoreFile.state(at: SuiteFiles(self).store)
        guard file.journal.isEmpty else { return file }
        let own = try state()
        return StoreState(version: own?.version ?? 0, isFresh: false, ledger: own?.ledger ?? [])
    }
}

/// Removes a file or an empty directory.
private func removeEntry(_ path: String) {
    if unlink(path) != 0 { rmdir(path) }
}
