internal import Foundation
internal import MoltCore
internal import Synchronization

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
        do {
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            let bytes = try DurableFile.read(target) ?? Data()
            // Damage is an error where the file is read, and no reason to wait.
            let list = bytes.isEmpty ? nil : try? PropertyListReader.object(bytes) as? [String: Any]
            self = list?.isEmpty == false ? .filled : .empty
        } catch {
            self = .closed
        }
    }
}

extension Suite {
    /// The domains that this process treats as closed, for tests: no test can lock a device.
    package static let closedDomains = ClosedDomains()

    /// A set of domain names.
    package final class ClosedDomains: Sendable {
        private let names = Mutex<Set<String>>([])

        /// Treats the suite as one on a device that was not unlocked since it was started.
        package func insert(_ suite: Suite) {
            names.withLock { _ = $0.insert(suite.domainName) }
        }

        fileprivate func contains(_ suite: Suite) -> Bool {
            names.withLock { $0.contains(suite.domainName) }
        }
    }

    /// Why the settings cannot be read now, though there may be some; nil when all of them can be seen.
    ///
    /// Everything that works on a suite waits by this one rule. A suite that reads as empty is taken for empty only when
    /// its file says so. On Linux no device is locked: a file that may not be opened is an error where it is read.
    func closedReason() throws -> String? {
        if !Self.closedDomains.contains(self) {
            #if canImport(Darwin)
                guard try SuiteDomain(self).readSaved().isEmpty, SuiteEvidence(fileAt: preferencesPath) != .empty else {
                    return nil
                }
            #else
                return nil
            #endif
        }
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
