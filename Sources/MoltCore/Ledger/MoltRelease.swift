/// The release of Molt that this code belongs to.
package enum MoltRelease {
    /// The version, which is written into each ledger row.
    package static let version = "0.1.0"
}
