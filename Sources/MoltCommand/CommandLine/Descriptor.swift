import Foundation

/// A file that the process has open; reading and writing wait, also if the file was opened not to block.
struct Descriptor: Sendable {
    private let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    /// The error of a system call.
    struct Failure: Error {
        let number: Int32

        var reason: String { String(cString: strerror(number)) }
    }

    /// Reads what is there, or waits for more.
    ///
    /// - Returns: The number of bytes; 0 at the end of the file.
    func read(into buffer: UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Int {
        while true {
            let count = systemRead(number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            let error = errno
            guard mayTryAgain(after: error, toWaitFor: POLLIN) else { throw Failure(number: error) }
        }
    }

    /// Writes all bytes.
    func write(_ data: some ContiguousBytes) throws(Failure) {
        let error = data.withUnsafeBytes { bytes -> Int32 in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                let error = count == 0 ? EIO : errno
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if !mayTryAgain(after: error, toWaitFor: POLLOUT) {
                    return error
                }
            }
            return 0
        }
        guard error == 0 else { throw Failure(number: error) }
    }

    /// Throws the errors that some file systems report only when a file is closed, such as that there is no space.
    ///
    /// It closes a copy of the descriptor, which has the same effect; the descriptor stays open.
    func checkClosing() throws(Failure) {
        let copy = dup(number)
        // After an interruption, it is closed all the same on Linux, and may be another file already.
        guard copy >= 0, close(copy) == 0 || errno == EINTR else { throw Failure(number: errno) }
    }

    /// Whether a call has to be repeated; waits until that can help.
    private func mayTryAgain(after error: Int32, toWaitFor event: Int32) -> Bool {
        guard error == EAGAIN else { return error == EINTR }
        var request = pollfd(fd: number, events: Int16(event), revents: 0)
        guard poll(&request, 1, -1) >= 0 else { return errno == EINTR }
        // Some systems cannot wait for every device.
        if request.revents & Int16(POLLNVAL) != 0 { usleep(10_000) }
        return true
    }
}

// The system calls, whose names the methods also have.

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
