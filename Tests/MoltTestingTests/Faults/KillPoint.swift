import Foundation
import Molt
import MoltTesting

/// A point at which a child process is killed while it upgrades a copy of a store, with the child's inputs.
///
/// The child needs the environment of its parent, which on Linux determines where suites are kept.
struct KillPoint: Hashable, Sendable, Codable {
    let point: FaultPoint
    let directory: String
    private let entryPoint: String
    private let batchSize: Int
    private let primary: SuiteName?
    let standIns: [StandIn]

    /// The name of a suite; nil for the app's own.
    struct SuiteName: Hashable, Codable {
        var name: String?

        var suite: Suite { name.map(Suite.init(_:)) ?? .standard }
    }

    /// A suite, and the suite that stands in for it.
    struct StandIn: Hashable, Codable {
        var original: SuiteName
        var name: String
    }

    init(_ point: FaultPoint, of store: TemporaryStore, entryPoint: EntryPoint, batchSize: Int) {
        self.point = point
        self.entryPoint = entryPoint.rawValue
        self.batchSize = batchSize
        directory = store.directory.path
        if case .suite(let suite) = store.fixture.primary {
            primary = SuiteName(name: suite.name)
        } else {
            primary = nil
        }
        standIns = store.allStandIns.map { original, standIn in
            StandIn(original: SuiteName(name: original.name), name: standIn.domainName)
        }
    }

    /// The path of the file that records that the process is about to be killed.
    var marker: String {
        "\(directory)/killed"
    }

    /// Upgrades the store with the registry and configuration of the sweep, and kills this process at the point.
    ///
    /// - Throws: The error of the upgrade, or ``TestingError`` with the code `unsuitable` when the upgrade finished
    ///   without reaching the point.
    func run(
        through migrations: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws {
        guard let entryPoint = EntryPoint(rawValue: entryPoint) else {
            throw TestingError(.unsuitable, "There is no entry point \"\(entryPoint)\".")
        }
        let store = TemporaryStore(
            at: URL(fileURLWithPath: directory, isDirectory: true),
            primary: primary.map { .suite($0.suite) } ?? .cache,
            standIns: standIns.map { ($0.original.suite, $0.name) }
        )
        var configuration = configuration
        configuration.hooks.batchSize = batchSize
        let injector = FaultInjector { [point, marker] reached, _ in
            guard reached == point else { return false }
            _ = FileManager.default.createFile(atPath: marker, contents: nil)
            return kill(getpid(), SIGKILL) == 0
        }
        configuration.hooks.atPoint = injector.hook
        do {
            _ = try store.upgradeNow(through: migrations, by: entryPoint, configuration: configuration)
        } catch {
            // An exit test shows how its process ended, but not which error was thrown in it.
            try? FileHandle.standardError.write(
                contentsOf: Data("Molt: the upgrade failed before \(point): \(error)\n".utf8)
            )
            throw error
        }
        throw TestingError(
            .unsuitable,
            "The upgrade is done and did not come to this point: \(point). Give the child process the same migrations."
        )
    }
}
