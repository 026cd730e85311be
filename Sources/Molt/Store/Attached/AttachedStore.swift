/// Something outside a store's file that steps work on: the settings of a suite, a directory of files, or a file.
///
/// It is not part of the file's transaction, so steps never write to it. They read it and collect changes, which the
/// transaction adds to the journal of the file. They are made after the commit, and then removed from the journal;
/// after a kill in between, when the file is next opened. A single file is only read.
package enum AttachedStore: Sendable {
    case suite(Suite)
    case directory(AttachedDirectory)
    case file(AttachedFile)

    /// The unique name in journals, plans and errors; it never changes, except that of a file, which is in no journal.
    package var name: String {
        switch self {
        case .suite(let suite): suite.attachedName
        case .directory(let directory): directory.name
        case .file(let file): file.path
        }
    }

    package var suite: Suite? {
        if case .suite(let suite) = self { suite } else { nil }
    }

    package var directory: AttachedDirectory? {
        if case .directory(let directory) = self { directory } else { nil }
    }

    /// The reason why it cannot be used now, in a sentence; nil if it can.
    ///
    /// A migration that needs it is then deferred: it is not marked as applied, and a later opening tries again.
    ///
    /// - Throws: A permanent fault; the upgrade fails with it.
    func unavailability(from viewpoint: Viewpoint) throws -> String? {
        switch self {
        case .suite(let suite): try suite.unavailability(from: viewpoint)
        case .directory(let directory): directory.unavailability(inExtension: viewpoint.isExtension)
        case .file(let file): file.unavailability(inExtension: viewpoint.isExtension)
        }
    }
}
