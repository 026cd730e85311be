import Foundation

/// The maximum size of files that this process writes; larger writes fail as on a full disk.
package enum FileSizeLimit {
    /// The system rejected the limit.
    package struct Failure: Error {
        package let errorNumber: Int32
    }

    /// - Parameters:
    ///   - bytes: The maximum size; nil for no limit.
    ///   - isTold: Whether such a write also sends SIGXFSZ, which ends the process by default.
    package static func set(_ bytes: Int?, isTold: Bool = false) throws {
        signal(SIGXFSZ, isTold ? SIG_DFL : SIG_IGN)
        // The process that started this one may have blocked it.
        var told = sigset_t()
        sigemptyset(&told)
        sigaddset(&told, SIGXFSZ)
        if isTold { pthread_sigmask(SIG_UNBLOCK, &told, nil) }
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            let resource: Int32 = RLIMIT_FSIZE
        #endif
        guard getrlimit(resource, &limit) == 0 else { throw Failure(errorNumber: errno) }
        limit.rlim_cur = min(bytes.map { rlim_t($0) } ?? .max, limit.rlim_max)
        guard setrlimit(resource, &limit) == 0 else { throw Failure(errorNumber: errno) }
    }
}
