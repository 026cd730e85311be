internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// When a process was started, as text: it tells a process from a later one that was given the same number.
package enum ProcessStart {
    /// That of this process; made up where the system does not say.
    static let current = of(getpid()) ?? UUID().uuidString

    /// That of the process with a number, or another text when that has ended and its parent does not know yet; nil when
    /// there is none, or when the system does not say.
    package static func of(_ processID: Int32) -> String? {
        #if canImport(Darwin)
            var name = [CTL_KERN, KERN_PROC, KERN_PROC_PID, processID]
            var process = kinfo_proc()
            var size = MemoryLayout<kinfo_proc>.stride
            guard sysctl(&name, UInt32(name.count), &process, &size, nil, 0) == 0, size > 0 else { return nil }
            guard Int32(process.kp_proc.p_stat) != SZOMB else { return "ended" }
            let start = process.kp_proc.p_un.__p_starttime
            return "\(start.tv_sec).\(start.tv_usec)"
        #else
            // The name of the program, in parentheses, may hold anything. Behind it the first field is the 3rd, the state,
            // and the 20th is the 22nd: the start in ticks since the system was started.
            guard let stat = text("/proc/\(processID)/stat"), let name = stat.lastIndex(of: ")") else { return nil }
            let fields = stat[name...].dropFirst().split(separator: " ")
            guard fields.count > 19, let boot = text("/proc/sys/kernel/random/boot_id") else { return nil }
            guard fields[0] != "Z", fields[0] != "X" else { return "ended" }
            return "\(boot.prefix { $0 != "\n" })+\(fields[19])"
        #endif
    }

    #if !canImport(Darwin)
        private static func text(_ path: String) -> String? {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
    #endif
}
