internal import Foundation

/// The evidence that a suite's file gives when the system returns no settings.
///
/// Until the device is first unlocked after a restart, Apple's systems return no settings and no error. The file
/// exists, but cannot be opened.
package enum SuiteEvidence: Sendable {
    /// The file does not exist or contains no settings.
    case empty
    case filled
    /// The file exists but cannot be opened.
    case closed

    package init(fileAt path: String) {
        do {
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            let bytes = try DurableFile.read(target) ?? Data()
            // Damage is reported when the file is read; it is not a reason to wait.
            let list = bytes.isEmpty ? nil : try? PropertyListReader.value(bytes, around: 1).dictionary
            self = list?.isEmpty == false ? .filled : .empty
        } catch {
            self = .closed
        }
    }
}

extension Suite {
    /// The names of domains that this process treats as closed; tests use them because they cannot lock a device.
    package static let closedDomains = Locked<Set<String>>([])

    /// Why the suite is unavailable: another process cannot see the app's own settings, or the device is locked.
    func unavailability(from viewpoint: Viewpoint) throws -> String? {
        guard content == nil else { return nil }
        try validate()
        if viewpoint.isExtension, !isAppGroup {
            return "An app extension cannot see the app's settings in \(self); the app itself must open the store."
        }
        if isOwn, let domain = viewpoint.standardDomain, domain != domainName, !viewpoint.formerDomains.contains(domain)
        {
            return
                "The store belongs to settings in \(domain), and the settings in \(self) of this process are those of "
                + "\(domainName): \(domain) itself must open the store. If it was this app, name it in "
                + "`MoltConfiguration.formerDomains`."
        }
        return try closedReason()
    }

    /// The reason why existing settings cannot be read now; nil if all settings are visible.
    ///
    /// All work on suites defers by this rule: a suite that reads as empty counts as empty only if its file confirms
    /// it.
    func closedReason() throws -> String? {
        if !Self.closedDomains.withLock({ $0.contains(domainName) }) {
            guard try isHidden() else { return nil }
        }
        return "The settings in \(self) exist but cannot be read until the device is unlocked for the first time after "
            + "a restart."
    }
}
