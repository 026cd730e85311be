/// The release of Molt that this code belongs to.
public enum MoltRelease {
    /// The version, which is written into each ledger row.
    public static let version = "0.1.0"
}
