package import Foundation

/// The releases before today's.
package enum Releases {
    /// All of them, the oldest first.
    package static let all: [any Release.Type] = [Release1.self, Release2.self, Release3.self]
    /// Their numbers.
    package static let numbers = 1...3
    /// The number of today's release.
    package static let today = 4

    /// A release before today's.
    ///
    /// - Throws: ``ContactsError`` when there was none with the number.
    package static func release(_ number: Int) throws -> any Release.Type {
        guard let release = all.first(where: { $0.number == number }) else {
            throw ContactsError.noRelease(number)
        }
        return release
    }

    /// The store that a release wrote, as it is checked in: a resource that is only ever copied.
    ///
    /// - Throws: ``ContactsError`` when the package was built without it.
    package static func store(of release: any Release.Type) throws -> URL {
        let name = "release-\(release.number)"
        guard let url = Bundle.module.url(forResource: name, withExtension: "molt", subdirectory: "Stores") else {
            throw ContactsError.missingResource("Stores/\(name).molt")
        }
        return url
    }
}
