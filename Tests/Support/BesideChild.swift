internal import Foundation

/// Runs a closure once a child process has created a file, on a new thread: all test threads may wait for children.
///
/// - Returns: The errors of the closure, to be checked when the child has ended.
package func besideChild(whenThereIs path: String, _ body: @escaping @Sendable () throws -> Void) -> Log<any Error> {
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
