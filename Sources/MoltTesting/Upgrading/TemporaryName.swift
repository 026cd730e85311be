internal import Foundation

/// Names for the suites of copies.
enum TemporaryName {
    static func make() -> String {
        "molt-testing.\(UUID().uuidString)"
    }
}
