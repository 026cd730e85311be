#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// What the system says of the terminal that a descriptor writes to.
enum Terminal {
    /// How many columns are taken for granted where there is no terminal, or none that says.
    static let usualColumns = 80

    /// How many columns the terminal has now; ``usualColumns`` where there is none.
    static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        // The request has another type in each C library.
        #if canImport(Musl)
            let request = Int32(TIOCGWINSZ)
        #else
            let request = UInt(TIOCGWINSZ)
        #endif
        guard ioctl(descriptor, request, &size) == 0, size.ws_col > 0 else { return usualColumns }
        return Int(size.ws_col)
    }
}
