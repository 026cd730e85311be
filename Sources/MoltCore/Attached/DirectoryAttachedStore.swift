/// An attached store that is a directory, of which a test can make a copy.
package protocol DirectoryAttachedStore: AttachedStore {
    /// Where the directory is.
    var path: String { get }

    /// The store of the same name with another directory.
    ///
    /// Given to an opening, it takes the place of what the registry's steps name.
    func standIn(at path: String) -> Self
}
