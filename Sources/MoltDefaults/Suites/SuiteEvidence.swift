internal import Foundation
internal import MoltCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// What a suite's file says of it, where the system shows no settings.
///
/// Until a device was unlocked once after its start, Apple's systems show a suite without settings, and no error. The file
/// is there, but it cannot be opened.
package enum SuiteEvidence: Sendable {
    /// There is no file, or one without settings: the suite has none.
    case empty
    /// There is a file with settings.
    case filled
    /// There is a file, and it may not be opened.
    case closed

    /// Looks at the file of a suite.
    package init(fileAt path: String) {
        guard !Self.isClosed(fileAt: path) else {
            self = .closed
            return
        }
        do {
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            let bytes = try DurableFile.read(target) ?? Data()
            // What is damaged is an error where it is read, and no reason to wait.
            let list = bytes.isEmpty ? nil : try? PropertyListReader.object(bytes) as? [String: Any]
            self = list?.isEmpty == false ? .filled : .empty
        } catch {
            self = .closed
        }
    }

    /// Whether there is a file, and it may not be opened.
    static func isClosed(fileAt path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        return [EPERM, EACCES].contains(errno)
    }
}

extension Suite {
    /// Why the settings cannot be read now, though there may be some; nil when what is seen is all there is.
    ///
    /// This is the one rule by which everything that works on a suite waits. A suite that reads as empty is taken for empty
    /// only when its file says so.
    func closedReason() throws -> String? {
        #if canImport(Darwin)
            guard try SuiteDomain(self).readSaved().isEmpty, SuiteEvidence(fileAt: preferencesPath) != .empty else {
                return nil
            }
        #else
            // There, a file that cannot be opened is an error where it is read, and does not read as empty.
            guard SuiteEvidence.isClosed(fileAt: SuiteFile(self).path) else { return nil }
        #endif
        return "The settings in \(self) are there, but their file cannot be opened now, as on a device that was not "
            + "unlocked since it was started."
    }

    #if canImport(Darwin)
        /// Where the system keeps the settings.
        private var preferencesPath: String {
            let group = isAppGroup ? name : nil
            let home =
                group.flatMap { FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: $0) }
                ?? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
            return home.appending(path: "Library/Preferences/\(domainName).plist").path
        }
    #endif
}
