import Foundation
import Molt

/// Differences between Linux and Apple's systems, and calls that Foundation does not offer.
enum Platform {
    static var architecture: String {
        #if arch(arm64)
            "arm64"
        #elseif arch(x86_64)
            "x86_64"
        #else
            "another architecture"
        #endif
    }

    /// The version of the compiler; the patch number cannot be queried.
    static var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    static var isOptimized: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    /// Returns the processor's name, where the system reports it.
    static func processorName() -> String? {
        #if canImport(Darwin)
            var size = 0
            guard sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: size)
            guard sysctlbyname("machdep.cpu.brand_string", &bytes, &size, nil, 0) == 0 else { return nil }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        #else
            return field("model name", inFileAt: "/proc/cpuinfo")
        #endif
    }

    /// Returns the processor time of this process so far, in all threads, in user and kernel mode.
    static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// Returns the highest resident memory of this process so far.
    static func peakMemoryBytes() -> Int {
        #if canImport(Darwin)
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #else
            // Linux keeps ru_maxrss of getrusage across exec, so a child would report at least the memory of its
            // parent. VmHWM is reset.
            guard
                let text = field("VmHWM", inFileAt: "/proc/self/status"),
                let kilobytes = Int(text.prefix(while: \.isNumber))
            else { return 0 }
            return kilobytes * 1024
        #endif
    }

    /// Waits until the files of a directory are on disk.
    static func flush(_ directory: URL) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        // Syncing all file systems is faster than syncing many files.
        guard names.count < 100 else { return sync() }
        for name in names { try DurableFile.sync(directory.appendingPathComponent(name).path) }
    }

    /// Runs this executable with other arguments, and waits for it.
    ///
    /// - Parameter settings: The directory for its settings on Linux, instead of the user's own.
    /// - Returns: Its standard output; its standard error goes to that of this process.
    /// - Throws: ``BenchmarkError`` when it does not exit with code 0.
    static func runSelf(_ arguments: [String], settings: URL) throws -> Data {
        #if os(macOS) || os(Linux)
            guard let executable = Bundle.main.executableURL else {
                throw BenchmarkError("The benchmark cannot find its own executable.")
            }
            let process = Process()
            let pipe = Pipe()
            process.executableURL = executable
            process.arguments = arguments
            process.standardOutput = pipe
            var environment = ProcessInfo.processInfo.environment
            environment["XDG_CONFIG_HOME"] = settings.path
            process.environment = environment
            try process.run()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            guard process.terminationReason == .exit, process.terminationStatus == 0 else {
                throw BenchmarkError(
                    "The child process \(arguments.joined(separator: " ")) failed with "
                        + "\(process.terminationReason == .exit ? "exit code" : "signal") "
                        + "\(process.terminationStatus)."
                )
            }
            return output
        #else
            throw BenchmarkError("The benchmark needs child processes, which this system does not offer.")
        #endif
    }

    #if !canImport(Darwin)
        /// Returns the value of a line "name: value" in a file of procfs.
        private static func field(_ name: String, inFileAt path: String) -> String? {
            let text = try? String(contentsOfFile: path, encoding: .utf8)
            let line = text?.split(separator: "\n").first { $0.hasPrefix(name) }
            guard let line, let colon = line.firstIndex(of: ":") else { return nil }
            return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
    #endif
}
