import Foundation

/// Runs a closure as soon as a child process has made a file.
///
/// On a thread of its own: the threads that tests run on may all be waiting for the ends of child processes.
///
/// - Returns: What the closure throws; to be looked at when the child has ended.
func besideChild(whenThereIs path: String, _ body: @escaping @Sendable () throws -> Void) -> Log<any Error> {
    let errors = Log<any Error>()
    Thread.detachNewThread {
        let end = Date().addingTimeInterval(60)
        while !FileManager.default.fileExists(atPath: path), Date() < end { Thread.sleep(forTimeInterval: 0.002) }
        do {
            try body()
        } catch {
            errors.append(error)
        }
    }
    return errors
}
