import CMoltSQLite
package import Foundation

/// Where and when something was measured.
package struct Machine: Codable, Sendable {
    /// The operating system and its version.
    package var system: String
    /// The processor's architecture.
    package var architecture: String
    /// The processor's name, where the system tells it.
    package var processor: String?
    /// The number of cores that may be used.
    package var cores: Int
    /// The physical memory.
    package var memoryBytes: UInt64
    /// The version of the compiler.
    package var swift: String
    /// The version of the SQLite library.
    package var sqlite: String
    /// Whether the benchmark was built with optimization.
    package var isOptimized: Bool
    /// When the run ended.
    package var date: Date

    /// This machine, now.
    package static func current() -> Machine {
        let process = ProcessInfo.processInfo
        return Machine(
            system: process.operatingSystemVersionString,
            architecture: Platform.architecture,
            processor: Platform.processorName(),
            cores: process.activeProcessorCount,
            memoryBytes: process.physicalMemory,
            swift: Platform.swiftVersion,
            sqlite: String(cString: sqlite3_libversion()),
            isOptimized: Platform.isOptimized,
            date: Date()
        )
    }

    /// The machine in one line, without the date.
    var words: String {
        [
            system, architecture, processor, "\(cores) \(cores == 1 ? "core" : "cores")", "Swift \(swift)",
            "SQLite \(sqlite)",
        ]
        .compactMap { $0 }.joined(separator: ", ")
    }

    /// Whether figures of another machine say something about this one.
    func isLike(_ other: Machine) -> Bool {
        system == other.system && architecture == other.architecture && processor == other.processor
            && cores == other.cores && swift == other.swift && sqlite == other.sqlite
    }
}
