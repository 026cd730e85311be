internal import Foundation

/// Warnings to the developer on standard error, in debug builds only.
enum DebugWarning {
    static func print(_ text: @autoclosure () -> String) {
        #if DEBUG
            let line = ErrorSummary.oneLine("Molt: warning: \(text())")
            // A warning must not fail the opening.
            try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
        #endif
    }
}
