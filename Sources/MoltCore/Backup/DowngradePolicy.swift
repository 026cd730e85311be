/// What happens when a cache is opened that a newer app has upgraded.
///
/// No opening changes such a store. To go on with it, call `CodableCache.restore` with a backup of an earlier version, or
/// `CodableCache.startAfresh`, which keeps the newer store aside.
public enum DowngradePolicy: Hashable, Sendable {
    /// An error with the code `superseded`, and the store untouched.
    case refuse
    /// The cache is opened for reading when every newer migration has declared that older releases may read it.
    ///
    /// See ``Migration/readableByOlderReleases()``. Otherwise it is refused. So is a cache that a later release of Molt has
    /// written, unless that has said that this one may read it.
    case openReadOnly
}
