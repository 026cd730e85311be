// Stands for Apple's C library on Linux, for .ci/darwin: the names and types that differ from those of Glibc.
@_exported import Glibc

// .ci/darwin renames the types, since Swift does not allow a type and a function of one name.
public struct Darwin_stat {
    public var st_dev: Int32 = 0
    public var st_mode: mode_t = 0
    public var st_nlink: UInt16 = 0
    public var st_ino: UInt64 = 0
    public var st_uid: UInt32 = 0
    public var st_gid: UInt32 = 0
    public var st_mtimespec = timespec()
    public var st_ctimespec = timespec()
    public var st_size: off_t = 0
    public init() {}
}
public func stat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<Darwin_stat>!) -> Int32 { 0 }
public func lstat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<Darwin_stat>!) -> Int32 { 0 }
public func fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<Darwin_stat>!) -> Int32 { 0 }

public struct Darwin_statvfs {
    public var f_frsize: UInt = 0
    public var f_blocks: UInt32 = 0
    public var f_bavail: UInt32 = 0
    public init() {}
}
public func statvfs(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<Darwin_statvfs>!) -> Int32 { 0 }

// A lock's fields are in another order, which only matters to memory.
public struct flock {
    public var l_start: off_t = 0
    public var l_len: off_t = 0
    public var l_pid: pid_t = 0
    public var l_type: Int16 = 0
    public var l_whence: Int16 = 0
    public init() {}
}
public var F_FULLFSYNC: Int32 { 51 }
public var RENAME_EXCL: Int32 { 4 }
public func renamex_np(_ from: UnsafePointer<CChar>!, _ to: UnsafePointer<CChar>!, _ flags: UInt32) -> Int32 { 0 }

// Limits of a process: the kinds are plain numbers.
public var RLIMIT_FSIZE: Int32 { 1 }
public func getrlimit(_ resource: Int32, _ limit: UnsafeMutablePointer<rlimit>!) -> Int32 { 0 }
public func setrlimit(_ resource: Int32, _ limit: UnsafePointer<rlimit>!) -> Int32 { 0 }

// Processes and their memory.
public var CTL_KERN: Int32 { 1 }
public var KERN_PROC: Int32 { 14 }
public var KERN_PROC_PID: Int32 { 1 }
public var SZOMB: Int32 { 5 }
public struct kinfo_proc {
    public struct Process {
        public struct Union { public var __p_starttime = timeval() }
        public var p_un = Union()
        public var p_stat: CChar = 0
    }
    public var kp_proc = Process()
    public init() {}
}
public func sysctl(
    _ name: UnsafeMutablePointer<Int32>!, _ count: UInt32, _ old: UnsafeMutableRawPointer!,
    _ oldSize: UnsafeMutablePointer<Int>!, _ new: UnsafeMutableRawPointer!, _ newSize: Int
) -> Int32 { 0 }
public func sysctlbyname(
    _ name: UnsafePointer<CChar>!, _ old: UnsafeMutableRawPointer!, _ oldSize: UnsafeMutablePointer<Int>!,
    _ new: UnsafeMutableRawPointer!, _ newSize: Int
) -> Int32 { 0 }
public let RUSAGE_SELF: Int32 = 0
public struct Darwin_rusage {
    public var ru_maxrss = 0
    public init() {}
}
@discardableResult
public func getrusage(_ who: Int32, _ usage: UnsafeMutablePointer<Darwin_rusage>!) -> Int32 { 0 }
