import Foundation
import Testing

@testable import Molt

@Suite struct `The leftover of a dry run` {
    let scenario: BackupScenario

    init() throws {
        scenario = try BackupScenario()
    }

    #if CHILD_PROCESSES
        /// The child processes have a temporary directory of their own, because other tests make dry runs meanwhile.
        @Test func `of a killed process is removed by the next one, but not the copy of one that is running`()
            async throws
        {
            try scenario.fill(1)
            let directory = scenario.scratch.file("temporary")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            let temporary = directory.path
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = scenario.url as URL, temporary = temporary as String] in
                setenv("TMPDIR", temporary, 1)
                _ = try CodableCache.dryRun(
                    at: url,
                    migrations: BackupScenario.registry(2),
                    configuration: BackupScenario.configuration { configuration in
                        configuration.hooks.atPoint = { if $0.kind == .beforeSteps { raise(SIGKILL) } }
                    }
                )
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).count == 1)
            try Data().write(to: directory.appending(path: "molt-dry-run-of-others"))
            await #expect(processExitsWith: .success) { [url = scenario.url as URL, temporary = temporary as String] in
                setenv("TMPDIR", temporary, 1)
                let counts = Log<Int>()
                let configuration = BackupScenario.configuration { configuration in
                    configuration.hooks.atPoint = { point in
                        guard point.kind == .beforeSteps else { return }
                        // This dry run is in progress while another one begins and ends.
                        _ = try CodableCache.dryRun(at: url, migrations: BackupScenario.registry(3))
                        counts.append(try FileManager.default.contentsOfDirectory(atPath: temporary).count)
                    }
                }
                let report = try CodableCache.dryRun(
                    at: url,
                    migrations: BackupScenario.registry(2),
                    configuration: configuration
                )
                guard report.to == 2, counts.all == [2] else { throw TestFailure.expected }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == ["molt-dry-run-of-others"])
        }
    #endif
}
