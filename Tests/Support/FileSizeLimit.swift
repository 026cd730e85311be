#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// How long a file may get that this process writes: beyond that, writes fail as on a full disk.
package enum FileSizeLimit {
    /// The system did not let the limit be set.
    package struct Failure: Error {
        package let errorNumber: Int32
    }

    /// Sets the limit.
    ///
    /// - Parameters:
    ///   - bytes: nil for none.
    ///   - isTold: Whether the process also gets the system's signal for such a write, which ends it by default.
    package static func set(_ bytes: Int?, isTold: Bool = false) throws {
        signal(SIGXFSZ, isTold ? SIG_DFL : SIG_IGN)
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            let resource = RLIMIT_FSIZE
        #endif
        guard getrlimit(resource, &limit) == 0 else { throw Failure(errorNumber: errno) }
        limit.rlim_cur = min(bytes.map { rlim_t($0) } ?? .max, limit.rlim_max)
        guard setrlimit(resource, &limit) == 0 else { throw Failure(errorNumber: errno) }
    }
}
