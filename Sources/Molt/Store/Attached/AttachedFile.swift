internal import Foundation

/// A file that a step reads when it runs, and never changes.
package struct AttachedFile: Sendable {
    /// The path, which is the file's name in plans and errors.
    package let path: String
    /// Whether it is a database, which is not opened to find out whether it can be: closing it again would end the
    /// locks that the process has on it.
    var isDatabase = false

    /// The last component of the path, which stays the same where the system moves the app's container.
    var fileName: String { (path as NSString).lastPathComponent }

    /// Why the file cannot be read in this process or for now; nil if it can, if there is none, or if waiting is no
    /// help.
    func unavailability(inExtension isExtension: Bool) -> String? {
        if isDatabase {
            guard access(path, R_OK) != 0 else { return nil }
        } else {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor < 0 else {
                close(descriptor)
                return nil
            }
        }
        return switch errno {
        case ENOENT where isExtension:
            "There is no file at \(path); an app extension cannot access the app's files. Open the store in the app first."
        case EPERM:
            "The file at \(path) exists, but the system refuses to open it, as iOS does with a protected file while the "
                + "device is locked."
        default: nil
        }
    }

    /// The content; nil if there is no file.
    ///
    /// - Throws: ``MoltError`` with the code `noPermission` or `suiteFailed`.
    func read() throws -> Data? {
        do {
            return try DurableFile.read(URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
        } catch {
            let failure = error as? DurableFile.Failure
            throw MoltError(
                [EACCES, EPERM].contains(failure?.number) ? .noPermission : .suiteFailed,
                "The file at \(path) cannot be read" + (failure.map { ": \($0.reason)." } ?? "."),
                advice: "Check its permissions, and that it is a file." + FileProtection.advice,
                suite: path,
                underlying: failure == nil ? error : nil
            )
        }
    }
}
