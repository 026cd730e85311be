import Foundation

/// Prints the command for the current input when it ends the process or takes too long.
enum FuzzWatch {
    // Unchecked: only the task that runs the inputs writes these, and only its signal handler reads them.
    nonisolated(unsafe) private static var text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 200)
    nonisolated(unsafe) private static var length = 0
    nonisolated(unsafe) private static var number = 0

    /// The peak memory of the process, in bytes.
    static var peakMemory: Int {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #else
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss * 1024
        #endif
    }

    static func start(_ name: String, seed: UInt64) {
        let line = Array("\nthis input did it: --only \(name) --seed \(seed) --count 1 --first ".utf8.prefix(180))
        for (index, byte) in line.enumerated() { text[index] = byte }
        length = line.count
        for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM] {
            Foundation.signal(signal) { signal in
                FuzzWatch.tell()
                Foundation.signal(signal, SIG_DFL)
                raise(signal)
            }
        }
    }

    /// Notes an input, and starts its time limit.
    static func begin(_ next: Int, limit: UInt32?) {
        number = next
        if let limit { alarm(limit) }
    }

    static func stop() {
        alarm(0)
        for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM] {
            Foundation.signal(signal, SIG_DFL)
        }
    }

    /// Prints the command with async-signal-safe calls only.
    private static func tell() {
        write(2, text.baseAddress, length)
        var rest = number
        var position = 199
        text[position] = UInt8(ascii: "\n")
        repeat {
            position -= 1
            text[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0 && position > 180
        write(2, text.baseAddress?.advanced(by: position), 200 - position)
    }
}
