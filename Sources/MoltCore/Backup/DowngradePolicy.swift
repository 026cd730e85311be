/// The policy for opening a cache that a newer app has upgraded.
///
/// No opening changes such a store. To continue with it, call `CodableCache.restore` with a backup of an earlier
/// version, or `CodableCache.startAfresh`, which moves the newer store aside.
public enum DowngradePolicy: Hashable, Sendable {
    /// The opening fails with the code `superseded`; the store is unchanged.
    case refuse
    /// The cache is opened for reading if every newer migration declares that older releases can read it.
    ///
    /// See ``Migration/readableByOlderReleases()``. Otherwise the opening fails. It also fails for a cache that a later
    /// release of Molt has written, unless that release declares that this one can read it.
    case openReadOnly
}
