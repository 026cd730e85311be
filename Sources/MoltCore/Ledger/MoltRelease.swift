/// The release of Molt that this code is.
public enum MoltRelease {
    /// The version, as it is written into each ledger row.
    public static let version = "0.1.0"
}
