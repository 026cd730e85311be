internal import Foundation

/// Names for the directories and suites of copies.
enum TemporaryName {
    static func make() -> String {
        "molt-testing.\(UUID().uuidString)"
    }
}
