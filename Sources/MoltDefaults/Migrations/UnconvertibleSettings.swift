/// What a migration does with a setting that it cannot convert: a text that is torn, a value of another type.
public enum UnconvertibleSettings: String, Hashable, Sendable {
    /// It stays as it is, to the byte, and the report names it with the reason.
    case leave
    /// The upgrade fails with the code `notConvertible`, and nothing is changed.
    case fail
    /// Of an array, a set or a dictionary the good elements are kept, and the stored value is set aside as it was; see
    /// ``Suite/setAsideValues()``. What has no good part stays, as with ``leave``.
    case salvage
}
