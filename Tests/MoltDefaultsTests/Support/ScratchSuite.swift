import Foundation
import MoltCore
import MoltDefaults
import Testing

/// A suite for one test in the tests' home directory, which is removed when the tests end.
final class ScratchSuite: Sendable {
    let name: String

    /// A suite with some values.
    init(_ values: [String: PropertyListValue] = [:]) throws {
        name = TestHome.newSuiteName()
        if !values.isEmpty { try suite.update(set: values) }
    }

    /// A suite with a given name, for child processes.
    init(named name: String) {
        self.name = name
    }

    #if canImport(Darwin)
        deinit {
            UserDefaults.standard.removePersistentDomain(forName: name)
        }
    #endif

    var suite: Suite { Suite(name) }

    var domain: SuiteDomain { SuiteDomain(suite) }

    var defaults: UserDefaults {
        get throws { try #require(UserDefaults(suiteName: name)) }
    }

    /// The values on disk, or in the system's preferences.
    var values: [String: PropertyListValue] {
        get throws { try suite.values() }
    }

    /// The suite's file on Linux.
    var file: URL {
        get throws { try TestHome.directory.appendingPathComponent("\(name).plist") }
    }

    /// The names of other files of the suite, once no other thread is saving it.
    func otherFiles() throws -> [String] {
        var names = try filesBeside()
        // A test in another thread may make the library save all suites, which keeps files here meanwhile.
        for _ in 0..<60_000 {
            guard try names.contains(where: isHeldLock) else { break }
            usleep(1_000)
            names = try filesBeside()
        }
        return names
    }

    /// The names of other files of the suite at this moment, even while a lock is held.
    func filesBeside() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: TestHome.directory.path)
            .filter { ($0.hasPrefix(name) || $0.hasPrefix(".\(name)")) && $0 != "\(name).plist" }
    }

    /// Whether a file is a lock with a holder, or one that its holder has removed meanwhile.
    private func isHeldLock(_ file: String) throws -> Bool {
        guard file.hasSuffix(".molt-lock") else { return false }
        let descriptor = open(try TestHome.directory.appendingPathComponent(file).path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }

    /// Writes the suite's file directly.
    func writeFile(_ text: String) throws {
        try writeFile(Data(text.utf8))
    }

    func writeFile(_ bytes: Data) throws {
        try locked { try bytes.write(to: file) }
    }

    /// Runs a closure while no other thread replaces the suite's file or restores it.
    ///
    /// A test in another thread may make the library save all suites, and Molt protects their files meanwhile.
    func locked<Found>(_ body: () throws -> Found) throws -> Found {
        let path = try TestHome.directory.appendingPathComponent(".\(name).plist.molt-lock").path
        let lock = try FileLock.removedAfterUse(path, waiting: {})
        let found = try body()
        _ = consume lock
        return found
    }
}
