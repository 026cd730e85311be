package import Foundation
package import Molt

/// Why the command could not do what it was asked, apart from what Molt says.
package enum ContactsError: LocalizedError, CustomStringConvertible {
    /// There is nothing at a path that was to be upgraded.
    case noFile(URL)
    /// There is an empty file at a path that was to be upgraded.
    case emptyFile(URL)
    /// There is something at a path that was to be written.
    case fileExists(URL)
    /// There was no release with a number.
    case noRelease(Int)
    /// The package was built without one of its resources.
    case missingResource(String)
    /// A value is not what it should be after the upgrade.
    case wrongValue(key: String)
    /// The settings in a suite are not what they should be after the upgrade.
    case wrongSettings(Suite)
    /// The process could not be started again with a home of its own for settings.
    case noHomeForSettings(Int32)
    /// Records were lost or doubled.
    case wrongCount(of: String, found: Int, expected: Int)

    /// What happened and what to do, in one line.
    package var description: String {
        switch self {
        case .noFile(let file): "There is no file at \(file.readablePath). Check the path."
        case .emptyFile(let file): "The file at \(file.readablePath) is empty. Check the path."
        case .fileExists(let file): "There is a file at \(file.readablePath) already. Choose another path."
        case .noRelease(let number): "There was no release \(number)."
        case .missingResource(let name): "The resource \(name) is missing. Build the package again."
        case .wrongValue(let key): "The value of \"\(key)\" is not what it should be after the upgrade."
        case .wrongSettings(let suite): "The settings in \(suite) are not what they should be after the upgrade."
        case .noHomeForSettings(let number):
            "The command could not start again with a home of its own for settings: "
                + "\(String(cString: strerror(number)))."
        case .wrongCount(let type, let found, let expected):
            "The store has \(found.grouped) records of the type \(type) and should have \(expected.grouped)."
        }
    }

    /// The same, for people.
    package var errorDescription: String? { description }
}

extension URL {
    /// The path as people write it.
    package var readablePath: String { path(percentEncoded: false) }
    /// Whether there is something at the path.
    package var exists: Bool { FileManager.default.fileExists(atPath: readablePath) }
}
