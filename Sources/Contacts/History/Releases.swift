package import Foundation
package import Molt

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
        try resource("release-\(release.number)", "molt")
    }

    /// The settings of every release before today's, as they are checked in: Defaults 4 wrote them in release 1.
    ///
    /// - Throws: ``ContactsError`` when the package was built without them, or what reading throws.
    package static func settings() throws -> [String: PropertyListValue] {
        let file = try resource("release-1", "plist")
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        return try PropertyListValue(normalizing: list).dictionary ?? [:]
    }

    private static func resource(_ name: String, _ kind: String) throws -> URL {
        guard let url = Bundle.module.url(forResource: name, withExtension: kind, subdirectory: "Stores") else {
            throw ContactsError.missingResource("Stores/\(name).\(kind)")
        }
        return url
    }
}
