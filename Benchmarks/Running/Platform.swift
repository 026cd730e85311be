import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// All that differs between Linux and Apple's systems, or that Foundation does not offer.
enum Platform {
    /// The architecture that the benchmark was built for.
    static var architecture: String {
        #if arch(arm64)
            "arm64"
        #elseif arch(x86_64)
            "x86_64"
        #else
            "another architecture"
        #endif
    }

    /// The version of the compiler; there is no way to ask for the patch number.
    static var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    /// Whether the benchmark was built with optimization.
    static var isOptimized: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    /// The processor's name, where the system tells it.
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

    /// The time that all threads of this process have used so far, in it and in the system for it.
    static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// The time of all cores that the host of a virtual machine has given to others while they were wanted here.
    ///
    /// It is 0 on a machine of its own and where the system does not tell. Linux counts it in hundredths of a second
    /// (proc_stat(5), `steal`).
    static func stolenSeconds() -> Double {
        #if os(Linux)
            // "cpu  user nice system idle iowait irq softirq steal …", summed up for all cores.
            let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8)
            let words = text?.split(separator: "\n").first?.split(separator: " ") ?? []
            guard words.count > 8, words[0] == "cpu", let ticks = Double(words[8]) else { return 0 }
            return ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        #else
            return 0
        #endif
    }

    /// The highest resident memory of this process so far.
    static func peakMemoryBytes() -> Int {
        #if canImport(Darwin)
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #else
            // Not getrusage: Linux hands its ru_maxrss on to the next program across exec, so a child would
            // never show less than the memory of the process that started it. VmHWM starts anew.
            guard
                let text = field("VmHWM", inFileAt: "/proc/self/status"),
                let kilobytes = Int(text.prefix(while: \.isNumber))
            else { return 0 }
            return kilobytes * 1024
        #endif
    }

    /// Whether ``limitToOneCore()`` does anything.
    static var canLimitCores: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// Has this process use the first of the cores that it may use, and no other.
    ///
    /// `ProcessInfo` still tells of all: what asks it makes as many threads as before, which then take turns.
    ///
    /// - Throws: ``BenchmarkError`` where the system cannot.
    static func limitToOneCore() throws {
        #if os(Linux)
            // Glibc declares the two for GNU's C only. A set of cores is as large as the kernel's at most.
            typealias Affinity = @convention(c) (Int32, Int, UnsafeMutableRawPointer) -> Int32
            guard let get = dlsym(nil, "sched_getaffinity"), let set = dlsym(nil, "sched_setaffinity") else {
                throw BenchmarkError("The system cannot limit a process to one core.")
            }
            var cores = [UInt8](repeating: 0, count: 1024)
            let isLimited = cores.withUnsafeMutableBytes { bytes in
                guard let start = bytes.baseAddress,
                    unsafeBitCast(get, to: Affinity.self)(0, bytes.count, start) >= 0,
                    let first = bytes.firstIndex(where: { $0 != 0 })
                else { return false }
                let core = bytes[first] & (~bytes[first] &+ 1)
                bytes.initializeMemory(as: UInt8.self, repeating: 0)
                bytes[first] = core
                return unsafeBitCast(set, to: Affinity.self)(0, bytes.count, start) == 0
            }
            if isLimited { return }
        #endif
        throw BenchmarkError("The process cannot be limited to one core.")
    }

    /// Has the files of a directory written that were left to the system to write later.
    ///
    /// - Throws: What `FileManager` throws for a directory that cannot be read.
    static func flush(_ directory: URL) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        // For many files it is quicker to flush all that the system has.
        guard names.count < 100 else { return sync() }
        for name in names {
            let file = open(directory.appendingPathComponent(name).path, O_RDONLY)
            guard file >= 0 else { continue }
            fsync(file)
            close(file)
        }
    }

    /// Copies a file byte by byte (not by cloning its blocks, as some file systems can) and has it written.
    ///
    /// - Throws: ``BenchmarkError``.
    static func copyDurably(from source: URL, to destination: URL) throws {
        let input = open(source.path, O_RDONLY)
        guard input >= 0 else { throw failure("open", source) }
        defer { close(input) }
        let output = open(destination.path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard output >= 0 else { throw failure("create", destination) }
        defer { close(output) }

        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(input, buffer.baseAddress, buffer.count)
            guard count >= 0 else { throw failure("read", source) }
            if count == 0 { break }
            var rest = buffer[..<count]
            while !rest.isEmpty {
                let written = write(output, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard written > 0 else { throw failure("write", destination) }
                rest = rest.dropFirst(written)
            }
        }
        guard fsync(output) == 0 else { throw failure("flush", destination) }
    }

    /// Puts a file in the place of another: written, flushed, renamed, and the name flushed.
    ///
    /// - Throws: ``BenchmarkError``.
    static func replaceDurably(_ file: URL, with bytes: Data) throws {
        let temporary = file.appendingPathExtension("new")
        let output = open(temporary.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard output >= 0 else { throw failure("create", temporary) }
        defer { close(output) }
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = write(output, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard written > 0 else { throw failure("write", temporary) }
                rest = rest.dropFirst(written)
            }
        }
        guard fsync(output) == 0, rename(temporary.path, file.path) == 0 else { throw failure("flush", temporary) }
        let directory = open(file.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
        guard directory >= 0 else { throw failure("open", file) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw failure("flush", file) }
    }

    /// Runs this executable again with other arguments, and waits for it.
    ///
    /// On Linux it has its settings in the directory that the arguments name, and never in the user's own.
    ///
    /// - Returns: What it wrote to standard output; its standard error is this process's.
    /// - Throws: ``BenchmarkError`` when it does not end with the exit code 0.
    static func runSelf(_ arguments: [String]) throws -> Data {
        #if os(macOS) || os(Linux)
            guard let executable = Bundle.main.executableURL else {
                throw BenchmarkError("The benchmark does not find its own executable.")
            }
            let process = Process()
            let pipe = Pipe()
            process.executableURL = executable
            process.arguments = arguments
            process.standardOutput = pipe
            if let option = arguments.firstIndex(of: "--directory"), option + 1 < arguments.count {
                var environment = ProcessInfo.processInfo.environment
                environment["XDG_CONFIG_HOME"] = arguments[option + 1]
                process.environment = environment
            }
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

    private static func failure(_ verb: String, _ file: URL) -> BenchmarkError {
        BenchmarkError("Cannot \(verb) \(file.path): \(String(cString: strerror(errno))).")
    }

    #if !canImport(Darwin)
        /// The value of a line "name: value" of one of Linux's files.
        private static func field(_ name: String, inFileAt path: String) -> String? {
            let text = try? String(contentsOfFile: path, encoding: .utf8)
            let line = text?.split(separator: "\n").first { $0.hasPrefix(name) }
            guard let line, let colon = line.firstIndex(of: ":") else { return nil }
            return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
    #endif
}
