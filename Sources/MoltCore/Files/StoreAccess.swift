internal import Foundation
internal import Synchronization

/// The access of this process to all stores, which an app gives up before the system suspends it.
///
/// iOS kills an app that is suspended while it holds a lock on a file of an app group; the crash report has the code
/// `0xdead10cc`. Give up the access in time, and take it again when the app runs:
///
/// ```swift
/// StoreAccess.suspend()
/// StoreAccess.resume()
/// ```
public enum StoreAccess {
    private static let isOff = Atomic(false)
    /// The number of open connections and held locks.
    private static let useCount = Atomic(0)
    private static let suspensions = Atomic(0)
    private static let holders = Locked<[WeakHolder]>([])

    private struct WeakHolder: Sendable {
        weak var holder: (any StoreHolder)?
    }

    /// Whether no store can be used, since ``suspend(timeout:)`` was called last.
    public static var isSuspended: Bool { isOff.load(ordering: .relaxed) }

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
        let end = ContinuousClock.now + timeout
        suspensions.add(1, ordering: .sequentiallyConsistent)
        isOff.store(true, ordering: .sequentiallyConsistent)
        for holder in holders.withLock({ $0.compactMap(\.holder) }) { holder.releaseStore() }
        while useCount.load(ordering: .sequentiallyConsistent) > 0 {
            guard ContinuousClock.now < end else { return false }
            Thread.sleep(forTimeInterval: 0.001)
        }
        return true
    }

    /// Allows the use of stores again; caches open their files at the next call.
    public static func resume() {
        isOff.store(false, ordering: .sequentiallyConsistent)
    }

    // MARK: Counting locks

    /// The number of suspensions so far, compared by multi-step work to detect a suspension in between.
    package static var suspensionCount: Int { suspensions.load(ordering: .sequentiallyConsistent) }

    /// Counts a connection or a lock that is about to be taken.
    ///
    /// - Returns: Whether it may be taken; ``leave()`` must then follow.
    package static func enter() -> Bool {
        // In this order, so that either the caller sees the suspension or the suspension sees the caller.
        useCount.add(1, ordering: .sequentiallyConsistent)
        guard isOff.load(ordering: .sequentiallyConsistent) else { return true }
        leave()
        return false
    }

    /// Counts a connection or a lock as released.
    package static func leave() {
        useCount.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// Adds an object that keeps a file open between calls; it is not retained.
    package static func add(_ holder: any StoreHolder) {
        holders.withLock { holders in
            holders.removeAll { $0.holder == nil }
            holders.append(WeakHolder(holder: holder))
        }
        // It may have opened its file just before the suspension.
        if isSuspended { holder.releaseStore() }
    }
}

/// An object that keeps a store's file open between calls.
package protocol StoreHolder: AnyObject, Sendable {
    /// Interrupts running work and closes the file.
    func releaseStore()
}

extension MigrationError {
    /// The error of work that ``StoreAccess/suspend(timeout:)`` interrupted or prevented.
    package static func suspended(_ outcome: Outcome? = nil) -> MigrationError {
        MigrationError(
            .suspended,
            "The app has suspended its access to stores.",
            outcome,
            advice: outcome == .committed ? nil : "Try again after `StoreAccess.resume()`."
        )
    }
}
