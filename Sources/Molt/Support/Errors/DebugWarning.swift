internal import Foundation

/// Warnings to the developer on standard error, in debug builds only; each is printed once.
enum DebugWarning {
    private static let printed = Locked<Set<String>>([])

    static func print(_ text: @autoclosure () -> String) {
        #if DEBUG
            let line = ErrorSummary.oneLine("Molt: warning: \(text())")
            let isNew = printed.withLock { $0.count < 1_000 && $0.insert(line).inserted }
            // A warning must not keep the store from being opened.
            if isNew { try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8)) }
        #endif
    }
}
