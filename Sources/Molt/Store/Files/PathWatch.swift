internal import CMoltSQLite

/// Tells whether open files, or the directories above them, may have been moved or removed.
///
/// One short system call answers for all files of the process; `stat` takes four times as long, because it follows a
/// path. Only Linux has such a call, and only for file systems that no other computer changes; elsewhere, no path can
/// be watched. A file system that is mounted over a directory is not noticed.
final class PathWatch: Sendable {
    /// Nil where the system cannot watch paths.
    static let shared = PathWatch()

    private let queue: CInt
    /// Even, and another number after each event; odd while events are taken from the queue.
    private let age = AtomicNumber()
    /// The number of files that need each of the system's watches: it has one for each directory.
    private let uses = Locked<[CInt: Int]>([:])

    private init?() {
        queue = molt_watch_open()
        guard queue >= 0 else { return nil }
    }

    /// Whether no watched path has changed since ``currentAge()`` returned an age.
    func isUnchanged(since age: CInt) -> Bool {
        // In this order: a thread that empties the queue changes the age before.
        molt_watch_has_events(queue) == 0 && self.age.value == age
    }

    /// The age after all events until now.
    func currentAge() -> CInt {
        uses.withLock { _ in
            let before = age.value
            guard molt_watch_has_events(queue) != 0 else { return before }
            age.value = before + 1
            age.value = molt_watch_take_events(queue) != 0 ? (before &+ 2) & (CInt.max - 1) : before
            return age.value
        }
    }

    /// Watches a file and all directories above it.
    ///
    /// - Returns: The watches; nil if one of them is a symbolic link, or cannot be watched.
    func add(_ path: String) -> [CInt]? {
        let names = path.split(separator: "/")
        var watches: [CInt] = []
        var current = ""
        return uses.withLock { uses in
            for (index, name) in names.enumerated() {
                current += "/" + name
                let watch = molt_watch_add(queue, current, index == names.count - 1 ? 1 : 0)
                guard watch >= 0 else {
                    remove(watches, &uses)
                    return nil
                }
                watches.append(watch)
                uses[watch, default: 0] += 1
            }
            return watches
        }
    }

    func remove(_ watches: [CInt]) {
        uses.withLock { uses in remove(watches, &uses) }
    }

    private func remove(_ watches: [CInt], _ uses: inout [CInt: Int]) {
        for watch in watches {
            guard let count = uses[watch] else { continue }
            uses[watch] = count > 1 ? count - 1 : nil
            if count == 1 { molt_watch_remove(queue, watch) }
        }
    }
}
