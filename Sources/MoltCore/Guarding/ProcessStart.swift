internal import Foundation
internal import MoltPlatform

/// The start time of a process, as a string; it distinguishes processes with the same number.
package enum ProcessStart {
    /// The start of this process; a random string if the system does not say.
    static let current = of(getpid()) ?? UUID().uuidString

    /// The start of a process, or another string for a process that has ended but was not yet reaped by its parent; nil
    /// if there is none, or if the system does not say.
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
            // The program's name, in parentheses, may contain any character. After it come the 3rd field, the state,
            // and, as the 20th, the 22nd: the start in clock ticks since boot (proc(5)).
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
