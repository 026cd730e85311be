/// An attached store in a directory that a test can copy.
package protocol DirectoryAttachedStore: AttachedStore {
    var path: String { get }

    /// The store of the same name with another directory; an opening prefers it to the registry's store.
    func standIn(at path: String) -> Self
}
