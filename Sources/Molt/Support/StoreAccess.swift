internal import Foundation

/// The access of this process to all stores, which an app gives up before the system suspends it.
///
/// iOS kills an app that is suspended while it holds a lock on a file of an app group; the crash report has the code
/// `0xdead10cc`. Give up the access in time, and take it again when the app runs:
///
/// ```swift
/// StoreAccess.suspend()
/// StoreAccess.resume()
/// ```
///
/// Call ``suspend(timeout:)`` when the app enters the background, and ``resume()`` when it enters the foreground. If
/// there is something to save first, do both in a closure of `ProcessInfo.performExpiringActivity(withReason:using:)`,
/// which the system calls a second time, on another thread, when the time is over: save if it has not expired, and
/// suspend in either case, unless the app has come back. An app extension suspends at the end of its work, or when it
/// gets `NSExtensionHostDidEnterBackground`.
public enum StoreAccess {
    private struct State {
        var suspensionCount = 0
        /// The number of open connections and held locks.
        var useCount = 0
    }

    private static let state = Locked(State())
    /// Written only while ``state`` is locked; read at each step of a statement.
    private static let suspended = AtomicFlag()
    /// Has a lock of its own, because the last use of a holder may be here, and its `deinit` calls ``endUse()``.
    private static let holders = Locked<[WeakHolder]>([])

    private struct WeakHolder: Sendable {
        weak var holder: (any StoreHolder)?
    }

    /// Whether no store can be used, since ``suspend(timeout:)`` was called last.
    public static var isSuspended: Bool { suspended.isSet }

    /// Releases all locks on files of stores, and refuses to take others until ``resume()``.
    ///
    /// Running work is interrupted and rolled back: an upgrade, a write, a read, a backup, a restore, a retry of
    /// quarantined records or a salvage. It fails with the code `suspended`, and so does every later call that needs
    /// the file. A cache stays open and can be used again after ``resume()``. Committed changes are kept.
    ///
    /// The call waits until the locks are released, which takes milliseconds unless a closure of the app is running: a
    /// closure of a migration cannot be interrupted. Do not call it within such a closure.
    ///
    /// - Parameter timeout: The longest wait; 5 seconds by default.
    /// - Returns: Whether all locks are released.
    @discardableResult
    public static func suspend(timeout: Duration = .seconds(5)) -> Bool {
        let end = Instant.now + timeout
        state.withLock { state in
            state.suspensionCount += 1
            suspended.set()
        }
        for holder in holders.withLock({ $0.compactMap(\.holder) }) { holder.releaseStore() }
        return poll(every: .milliseconds(1)) {
            if state.withLock({ $0.useCount }) == 0 { return true }
            return Instant.now < end ? nil : false
        } ?? false
    }

    /// Allows the use of stores again; caches open their files at the next call.
    public static func resume() {
        state.withLock { _ in suspended.clear() }
    }

    // MARK: Counting locks

    /// The number of suspensions so far, compared by multi-step work to detect a suspension in between.
    package static var suspensionCount: Int { state.withLock { $0.suspensionCount } }

    /// Counts a connection or a lock that is about to be taken.
    ///
    /// - Returns: Whether it may be taken; ``endUse()`` must then follow.
    static func beginUse() -> Bool {
        state.withLock { state in
            if isSuspended { return false }
            state.useCount += 1
            return true
        }
    }

    /// Counts a connection or a lock as released.
    @inline(never)
    static func endUse() {
        state.withLock { $0.useCount -= 1 }
    }

    /// Adds an object that keeps a file open between calls; it is not retained.
    static func add(_ holder: any StoreHolder) {
        holders.withLock { holders in
            holders.removeAll { $0.holder == nil }
            holders.append(WeakHolder(holder: holder))
        }
        // It may have opened its file just before the suspension.
        if isSuspended { holder.releaseStore() }
    }
}

/// An object that keeps a store's file open between calls.
protocol StoreHolder: AnyObject, Sendable {
    /// Interrupts running work and closes the file.
    func releaseStore()
}
